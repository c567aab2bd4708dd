/* Messages at the field that they are about: they go away when the field changes or its next change is accepted. */
import { el } from "./base.js";

/** Show a message below a field, given as an element or by its id; without a message, remove the one there. */
export function showFault(given, message = "") {
  const field = typeof given === "string" ? document.getElementById(given) : given;
  if (!field) return;
  const name = `fault-${field.id || field.dataset.focus}`;
  document.getElementById(name)?.remove();
  field.setAttribute("aria-invalid", String(Boolean(message)));
  field.removeAttribute("aria-describedby");
  if (!message) return;
  (field.closest("form, label, .slider, .play-table .scroll") ?? field).after(
    el("p", { class: "fault", id: name, role: "alert" }, message),
  );
  field.setAttribute("aria-describedby", name);
  for (const event of ["input", "change"]) field.addEventListener(event, () => showFault(field), { once: true });
}
