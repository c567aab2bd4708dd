/* Light and dark: the system's choice until the button is used. Every colour is a CSS variable, charts included. */
diveval.theme = function () {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;

  function apply() {
    const dark = chosen === null ? system.matches : chosen === "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    diveval.$("theme").textContent = dark ? "Light" : "Dark";
    document.dispatchEvent(new Event("themechange"));
  }

  // Paper is light.
  window.addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    document.dispatchEvent(new Event("themechange"));
  });
  window.addEventListener("afterprint", apply);

  diveval.$("theme").addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  system.addEventListener("change", apply);
  apply();
};

/** Draw a Vega-Lite specification made by Python; `ast` has Vega interpret its expressions, so no eval is needed. */
diveval.chart = async function (place, spec, label) {
  const labels = {
    labelColor: "var(--ink)",
    titleColor: "var(--muted)",
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
  };
  const config = {
    background: null,
    font: getComputedStyle(document.body).fontFamily,
    view: { stroke: null },
    axis: { ...labels, gridColor: "var(--faint)", domain: false, ticks: false, labelPadding: 6, labelLimit: 260 },
    axisX: { labelFlush: false },
    legend: {
      ...labels,
      orient: "bottom",
      columns: 2,
      labelLimit: 240,
      symbolOpacity: 1,
      gradientLength: 150,
      gradientThickness: 10,
    },
    range: { category: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => `var(--c${i})`) },
  };
  const options = { actions: false, ast: true, renderer: "svg", tooltip: false, defaultStyle: false, config };
  const result = await vegaEmbed(place, spec, options);
  place.setAttribute("role", "img");
  place.setAttribute("aria-label", label);
  return result;
};
