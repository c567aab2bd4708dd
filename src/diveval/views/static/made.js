/* How a report was made: command, versions, rules, files; and all numbers to copy. */
import { button, copy, el, id, notes } from "./base.js";
import { plain } from "./table.js";

export const made = {
  name: "made", title: "How made", needs: false, what: "",
  draw(place, app) {
    const data = app.made, copied = el("output", { id: "copied", role: "status" });
    const copying = (form, title) => button(`Copy the numbers as ${title}`, async () => {
      await copy(data[form]);
      copied.textContent = `Copied as ${title}.`;
    }, { "data-copy": form });
    place.append(el("dl", { id: "facts" }, data.facts.map(([name, text]) => [el("dt", {}, name), el("dd", {}, name === "Command" ? el("code", {}, text) : text)])),
      el("h3", {}, "Files"), el("div", { class: "scroll" }, plain(["File", "bytes", "SHA-256"], data.files.map((file) => [file.path, String(file.bytes), id(file.sha256)]), { name: "files" })),
      el("div", { class: "controls" }, copying("csv", "CSV"), copying("latex", "LaTeX"), copied), notes(data.notes));
    return { update() {} };
  },
};
