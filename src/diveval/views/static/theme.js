/* Light and dark: the system's choice until the button is used, then that one, remembered. Paper is light. */
import { $ } from "./base.js";

const KEY = "diveval-theme";

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
      /* it holds until the page is closed */
    }
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
