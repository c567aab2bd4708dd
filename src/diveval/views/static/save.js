/* Any view as a file: pictures as SVG and PNG, numbers as CSV and LaTeX. A table is saved as it looks on the page. */
import { button, el, svg } from "./base.js";

const STYLED = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "font-style",
  "font-family",
  "text-anchor",
];

function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A copy of a drawing that needs no style sheet: computed styles become attributes of each element. */
function standalone(drawing) {
  const copy = drawing.cloneNode(true);
  const from = [drawing, ...drawing.querySelectorAll("*")],
    to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const property of STYLED)
      if (style.getPropertyValue(property)) to[i].setAttribute(property, style.getPropertyValue(property));
    for (const name of [...to[i].getAttributeNames()])
      if (name.startsWith("data-") || name.startsWith("aria-") || ["class", "style", "tabindex", "role"].includes(name))
        to[i].removeAttribute(name);
  });
  return copy;
}

/** The content of an element as one SVG: boxes, text and pictures at their measured positions. */
export function drawn(place) {
  for (const table of place.querySelectorAll("table")) table.dispatchEvent(new Event("whole"));
  const frame = place.getBoundingClientRect(),
    width = Math.max(place.scrollWidth, Math.ceil(frame.width));
  const out = [];
  let bottom = frame.top + 10;
  const clear = (colour) => colour === "rgba(0, 0, 0, 0)" || colour === "transparent";
  const visit = (element) => {
    if (element.matches(".unsaved, .behind, option, [hidden]")) return;
    const box = element.getBoundingClientRect(),
      style = getComputedStyle(element);
    if (!box.width || !box.height || style.visibility === "hidden") return;
    const x = box.left - frame.left + place.scrollLeft,
      y = box.top - frame.top;
    bottom = Math.max(bottom, box.bottom);
    if (element instanceof SVGSVGElement) {
      const copy = standalone(element);
      for (const [key, value] of Object.entries({ x, y, width: box.width, height: box.height }))
        copy.setAttribute(key, value);
      out.push(copy);
      return;
    }
    if (!clear(style.backgroundColor))
      out.push(
        svg("rect", {
          x,
          y,
          width: box.width,
          height: box.height,
          fill: style.backgroundColor,
          rx: parseFloat(style.borderTopLeftRadius) || null,
        }),
      );
    for (const child of element.childNodes) {
      if (child.nodeType === Node.ELEMENT_NODE) visit(child);
      else if (child.nodeType === Node.TEXT_NODE && child.textContent.trim())
        out.push(text(child, style, frame, place));
    }
  };
  visit(place);
  const height = Math.ceil(bottom - frame.top);
  const paper = getComputedStyle(document.body).backgroundColor;
  return svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("rect", { width, height, fill: paper }),
    out,
  );
}

/** A text node at its position on the page, upright where the page has it vertical. */
function text(node, style, frame, place) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const lines = [...range.getClientRects()];
  const upright = style.writingMode.startsWith("vertical");
  const box = lines[0];
  if (!box) return null;
  const look = {
    fill: style.color,
    "font-size": style.fontSize,
    "font-family": style.fontFamily,
    "font-weight": style.fontWeight,
    "font-style": style.fontStyle,
  };
  const x = box.left - frame.left + place.scrollLeft,
    words = node.textContent.replace(/\s+/g, " ").trim();
  if (upright) {
    const [cx, cy] = [x + box.width / 2 + parseFloat(style.fontSize) / 3, box.bottom - frame.top];
    return svg("text", { ...look, transform: `translate(${cx} ${cy}) rotate(-90)` }, words);
  }
  return svg("text", { ...look, x, y: box.bottom - frame.top - box.height * 0.24 }, words);
}

const svgText = (place) => new XMLSerializer().serializeToString(drawn(place));

async function png(place) {
  const drawing = drawn(place),
    scale = 2;
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(new XMLSerializer().serializeToString(drawing));
  await image.decode();
  const canvas = el("canvas", {
    width: scale * drawing.getAttribute("width"),
    height: scale * drawing.getAttribute("height"),
  });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

export const csv = (rows) =>
  rows
    .map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(","))
    .join("\n") + "\n";

export function latex(rows) {
  const marks = {
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "−": "$-$",
    α: "$\\alpha$",
    τ: "$\\tau$",
    "≈": "$\\approx$",
  };
  const safe = (cell) => String(cell).replace(/[\\~^−ατ≈]|[&%$#_{}]/g, (mark) => marks[mark] || "\\" + mark);
  const line = (row) => row.map(safe).join(" & ") + " \\\\";
  const [head, ...body] = rows;
  return [
    "\\begin{tabular}{l" + "r".repeat(Math.max(0, head.length - 1)) + "}",
    "\\toprule",
    line(head),
    "\\midrule",
    ...body.map(line),
    "\\bottomrule",
    "\\end{tabular}",
    "",
  ].join("\n");
}

/** Four buttons behind one: `place` is drawn, `rows()` returns its numbers with a header. */
export function saving(name, place, rows) {
  const kinds = {
    SVG: async () => download(name + ".svg", svgText(place), "image/svg+xml"),
    PNG: async () => download(name + ".png", await png(place), "image/png"),
    CSV: async () => download(name + ".csv", csv(await rows()), "text/csv"),
    LaTeX: async () => download(name + ".tex", latex(await rows()), "text/x-tex"),
  };
  const box = el(
    "details",
    { class: "saving unsaved" },
    el("summary", {}, "Save"),
    el(
      "div",
      { class: "menu" },
      Object.entries(kinds).map(([kind, act]) =>
        button(
          kind,
          () => {
            box.open = false;
            act();
          },
          { "data-save": kind, "aria-label": `Save ${name} as ${kind}` },
        ),
      ),
    ),
  );
  box.addEventListener("focusout", (event) => {
    if (!box.contains(event.relatedTarget))
      setTimeout(() => {
        if (!box.contains(document.activeElement)) box.open = false;
      }, 150);
  });
  return box;
}
