"""Take the pictures in this folder again: `python docs/images/take.py demo/report.html` (after `make demo`).

Every section in light, and all of them in dark and on a phone as sheets.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

SECTIONS = ("leaderboard", "topics", "inspector", "metrics", "axioms", "parameters", "made")
WIDE, NARROW = 1180, 390
HIGHEST = 1750
TALL = 12_000  # everything on one screen, so that nothing scrolls and nothing covers anything


def main() -> None:
    address, folder = Path(sys.argv[1]).resolve().as_uri(), Path(__file__).parent
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = _opened(browser, address, WIDE, "light")
        for section in SECTIONS:
            _save(_taken(page, section), folder / f"report-{section}.png")
        for mode, width, scheme, share in (("dark", WIDE, "dark", 0.42), ("phone", NARROW, "light", 0.66)):
            page = _opened(browser, address, width, scheme)
            taken = [_taken(page, section) for section in SECTIONS]
            parts = (taken[:3], taken[3:5], taken[5:]) if width == NARROW else (taken[:3], taken[3:])
            for number, part in enumerate(parts, 1):
                _save(_sheet(part, share), folder / f"report-{mode}-{number}.png", colours=160)
        browser.close()


def _opened(browser: Any, address: str, width: int, scheme: str) -> Any:
    """The report, drawn, with something chosen in each section."""
    page = browser.new_page(viewport={"width": width, "height": TALL}, color_scheme=scheme, offline=True)
    page.goto(address)
    page.wait_for_selector("#chart-ranges svg")
    page.locator("#board tbody th button").nth(3).click()
    page.get_by_role("button", name="ERR_IA@20, Confidence: fails").click()
    page.locator("#inspect-right").select_option(label="redundant")
    page.wait_for_selector(".panel:nth-child(2) .curve svg")
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    return page


def _taken(page: Any, section: str) -> Image.Image:
    """A section over the full width of the page."""
    box = page.locator(f"#{section}").bounding_box()
    clip = {"x": 0, "y": box["y"] + 1, "width": page.viewport_size["width"], "height": min(box["height"] - 1, HIGHEST)}
    return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")


def _sheet(pictures: list[Image.Image], share: float) -> Image.Image:
    """Pictures beside each other, smaller."""
    size = sum(picture.width for picture in pictures), max(picture.height for picture in pictures)
    sheet = Image.new("RGB", size, pictures[0].getpixel((1, 1)))
    left = 0
    for picture in pictures:
        sheet.paste(picture, (left, 0))
        left += picture.width
    return sheet.resize((round(sheet.width * share), round(sheet.height * share)), Image.Resampling.LANCZOS)


def _save(picture: Image.Image, target: Path, *, colours: int = 256) -> None:
    """Few colours, so that it is small enough for a repository."""
    picture.quantize(colours, kmeans=3, dither=Image.Dither.NONE).save(target, optimize=True)
    print(f"{target}: {target.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
