"use strict";
/* Small tools every picture uses. Ids are untrusted: they reach the page as text nodes and attributes only. */
const diveval = {};

/** An element with attributes and children; a string child becomes a text node, never markup. */
diveval.el = function (name, attributes, ...children) {
  const element = document.createElement(name);
  diveval.set(element, attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

diveval.svg = function (name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  diveval.set(element, attributes);
  element.append(...children.flat());
  return element;
};

diveval.set = function (element, attributes) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style")
      for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
};

diveval.$ = (id) => document.getElementById(id);
diveval.fixed = (value, digits) =>
  value === null || value === undefined ? "–" : value.toFixed(digits === undefined ? 4 : digits);
diveval.id = (text) => diveval.el("span", { class: "id", title: text }, text);

diveval.notes = function (place, notes) {
  diveval.$(place).replaceChildren(...notes.filter(Boolean).map((note) => diveval.el("p", {}, note)));
};

diveval.options = function (select, texts, chosen) {
  select.replaceChildren(...texts.map((text, i) => diveval.el("option", { value: i, selected: i === chosen }, text)));
};

/** The name of a metric in two parts, so that long parameters go to a second line. */
diveval.parts = function (metric) {
  const found = /^([^(@]+)(\([^()]*\))?(@.*)?$/.exec(metric);
  return found ? [found[1] + (found[3] || ""), (found[2] || "").slice(1, -1)] : [metric, ""];
};

/** The style of a cell by its value between low and high: another hue below zero, and text in black or white, whichever reads better (one of them always has a contrast above 4.5). */
diveval.heat = function (value, low, high) {
  const share = value < 0 ? value / low : high > 0 ? value / high : 0;
  const percent = Math.round(100 * Math.min(1, Math.max(0, share)));
  const hue = value < 0 ? "below" : "hot";
  const [from, to] = [diveval.channels("cold"), diveval.channels(hue)];
  const [red, green, blue] = from.map((cold, i) => {
    const channel = (cold + ((to[i] - cold) * percent) / 100) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  const dark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179;
  return { background: `color-mix(in srgb, var(--${hue}) ${percent}%, var(--cold))`, color: dark ? "#fff" : "#000" };
};

/** Red, green and blue of one of the page's colours. */
diveval.channels = function (name) {
  const hex = getComputedStyle(document.documentElement)
    .getPropertyValue("--" + name)
    .trim();
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
};
