"""Sphinx configuration: manually written Markdown pages, and reference pages that docs/generate.py writes at build time."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import generate
from docutils import nodes
from generate_docstrings import as_restructured_text
from sphinx.addnodes import pending_xref
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

from diveval import __version__

project = "diveval"
author = "the diveval contributors"
copyright = author
release = version = __version__

extensions = ["myst_parser", "mathml", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
myst_enable_extensions = ["deflist", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
html_math_renderer = "mathml"
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
suppress_warnings = ["misc.highlighting_failure"]  # a console block may contain a line that is not bash

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = False
python_display_short_literal_types = True

smartquotes = False  # code must remain copyable
html_theme = "furo"
html_title = f"diveval {release}"
SCRIPTS = HERE / "_generated" / "scripts"  # written when the build begins; Sphinx wants the folder before
SCRIPTS.mkdir(parents=True, exist_ok=True)
html_static_path = ["_static", "_generated/scripts"]
html_css_files = ["diveval.css"]
html_show_sourcelink = False
html_show_copyright = False
html_copy_source = False

# Files of the project whose pages have another address on the site.
PAGES = {
    "CONTRIBUTING.md": "reference/contributing",
    "CHANGELOG.md": "reference/changelog",
    "SECURITY.md": "reference/security",
    "docs/tour.ipynb": "_generated/tour",
}


class ProjectLinks(SphinxPostTransform):
    """Resolves links to files of the project: to the file's page if the site has one, else to plain text."""

    default_priority = 8  # before MyST's own resolver, which handles pages only

    def run(self, **_: Any) -> None:
        for node in list(self.document.findall(pending_xref)):
            path = self._file(node) if node["reftype"] == "myst" else None
            if path is not None:
                page = _page(path)
                link = make_refnode(self.app.builder, self.env.docname, page, None, node[0]) if page else node[0]
                node.replace_self(link)

    def _file(self, node: Any) -> Path | None:
        target = str(node["reftarget"]).split("#")[0]
        if node["refdomain"] == "doc":  # a page, or a file that MyST takes for a page
            outside = Path(target + ".md")
            return outside if ROOT in outside.parents and outside.exists() else None
        start = ROOT if self.env.docname in PAGES.values() else HERE / Path(self.env.docname).parent
        path = Path(os.path.normpath(start / target))
        return path if target and ROOT in path.parents and path.exists() else None


def _page(path: Path) -> str | None:
    if HERE in path.parents and path.suffix == ".md":
        return path.relative_to(HERE).with_suffix("").as_posix()
    return PAGES.get(path.relative_to(ROOT).as_posix())


def plain_docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Convert docstrings, which are not reStructuredText, for Sphinx."""
    lines[:] = as_restructured_text(lines)


def dashes(app: Any, document: nodes.document, page: str) -> None:
    """Sphinx puts ` -- ` between a parameter and its meaning, which only smart quotes would turn into a dash."""
    for node in list(document.findall(nodes.Text)):
        if node.astext() == " -- ":
            node.parent.replace(node, nodes.Text(" – "))


# What screen readers and keyboards need and the theme leaves out: levels of the sidebar's headings, names of both sidebars,
# code and tables that scroll, no heading over a column of names.
MISSING_ROLES = {
    'class="caption" role="heading">': 'class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
    '<th class="head"><p></p></th>': "<td></td>",
    "<th></th>": "<td></td>",
    "<table>": '<table tabindex="0">',
    'class="dataframe">': 'class="dataframe" tabindex="0">',
}


def complete_roles(app: Any, error: Exception | None) -> None:
    """Add to the written pages what the theme leaves out."""
    for page in () if error else Path(app.outdir).rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for bare, complete in MISSING_ROLES.items():
            text = text.replace(bare, complete)
        page.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", lambda _: generate.write(HERE / "_generated"))
    app.add_post_transform(ProjectLinks)
    app.connect("autodoc-process-docstring", plain_docstring)
    app.connect("doctree-resolved", dashes)
    app.connect("build-finished", complete_roles)
    return {"parallel_read_safe": True}
