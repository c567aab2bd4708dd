/* What every page has: light and dark, and tooltips. */
import { $, begin, el } from "./base.js";

const KEY = "diveval-theme";

/** Light or dark: the system's setting until the button is used, then the user's choice, stored. Print is light. */
export function theme() {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch {
    /* a browser may refuse storage to a file from disk */
  }
  const root = document.documentElement;
  const use = (name) => {
    root.dataset.theme = name;
    document.dispatchEvent(new Event("themechange"));
  };

  function apply() {
    const dark = chosen === null ? system.matches : chosen === "dark";
    $("theme").textContent = dark ? "Light" : "Dark";
    use(dark ? "dark" : "light");
  }

  window.addEventListener("beforeprint", () => use("light"));
  window.addEventListener("afterprint", apply);
  $("theme").addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, chosen);
    } catch {
      /* the choice is kept until the page is closed */
    }
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}

/** Any element with data-tip shows it while the pointer or the focus is on it; Escape hides it. */
export function tooltips() {
  const box = el("div", { class: "tip", role: "tooltip", id: "tip", hidden: true });
  document.body.append(el("aside", { "aria-label": "Hint" }, box)); // a landmark, so that all of the page is in one
  let shown = null;

  function show(target) {
    shown = target;
    box.textContent = target.dataset.tip;
    box.hidden = false;
    target.setAttribute("aria-describedby", "tip");
    const at = target.getBoundingClientRect(),
      size = box.getBoundingClientRect();
    const above = at.top - size.height - 6;
    box.style.setProperty(
      "left",
      Math.max(4, Math.min(at.left + at.width / 2 - size.width / 2, innerWidth - size.width - 4)) + "px",
    );
    box.style.setProperty("top", (above > 4 ? above : at.bottom + 6) + "px");
  }

  function hide() {
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  }

  const over = (event) => {
    const target = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    if (target === shown) return;
    hide();
    if (target && target.dataset.tip) show(target);
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", over);
  document.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  document.addEventListener("scroll", hide, true);
}

/** A frame that scrolls can be scrolled with the keyboard: it is in the order of the Tab key unless something in it is. */
export function scrolling() {
  let waiting = null; // ends the busy mark of a look to come
  const look = () => {
    waiting();
    waiting = null;
    for (const frame of document.querySelectorAll(".scroll, .headline")) {
      const scrolls = frame.scrollWidth > frame.clientWidth + 1 || frame.scrollHeight > frame.clientHeight + 1;
      const inside = frame.querySelector("a[href], button:not([tabindex='-1']), input, select, [tabindex='0']");
      const wanted = scrolls && !inside;
      if (wanted && !frame.hasAttribute("tabindex")) {
        frame.dataset.scrolls = "yes";
        frame.tabIndex = 0;
      } else if (!wanted && frame.dataset.scrolls) {
        delete frame.dataset.scrolls;
        frame.removeAttribute("tabindex");
      }
    }
  };
  const soon = () => {
    if (waiting) return;
    waiting = begin();
    setTimeout(look, 60);
  };
  new MutationObserver(soon).observe(document.body, { childList: true, subtree: true });
  window.addEventListener("resize", soon);
  soon();
}
