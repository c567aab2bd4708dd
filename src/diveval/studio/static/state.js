/* The whole state of the page in one object that fits into an address. */

export const state = {
  view: "leaderboard",
  metrics: [], // canonical names, in order
  chosen: "", // the metric that sliders, topics, letters and the inspector are about
  options: {}, // as the command line has them; what is missing is the default
  sort: { metric: "", ascending: false },
  topic: "", run: "", other: "",
  reading: "charitable", // of the constraints
  whatif: { edit: "cut", run: "", other: "", depth: 10 },
  play: null, // see playground.js
};

const listeners = [];
let planned = 0;

export function listen(listener) {
  listeners.push(listener);
}

/** Change the state, tell everybody, and note it in the address. */
export function set(patch) {
  Object.assign(state, patch);
  for (const listener of listeners) listener(patch);
  clearTimeout(planned);
  planned = setTimeout(() => history.replaceState(null, "", "#" + encoded()), 120);
}

export function encoded() {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return "s=" + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state in the address, or nothing: whatever an address holds, the page must come up. */
export function decoded(hash) {
  const found = /^#s=([\w-]+)$/.exec(hash);
  if (!found) return null;
  try {
    const text = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
    const value = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    return clean(value);
  } catch {
    return null;
  }
}

const text = (value) => (typeof value === "string" ? value.slice(0, 1000) : "");

/** Only what we know, in the kinds we know. */
function clean(value) {
  if (typeof value !== "object" || value === null) return null;
  const options = {};
  for (const [name, word] of Object.entries(value.options || {})) if (["string", "number", "boolean"].includes(typeof word)) options[name] = word;
  const sort = value.sort || {}, whatif = value.whatif || {};
  return {
    view: text(value.view), chosen: text(value.chosen), options,
    metrics: Array.isArray(value.metrics) ? value.metrics.slice(0, 200).map(text).filter(Boolean) : [],
    sort: { metric: text(sort.metric), ascending: sort.ascending === true },
    reading: value.reading === "as-written" ? "as-written" : "charitable",
    topic: text(value.topic), run: text(value.run), other: text(value.other),
    whatif: { edit: text(whatif.edit) || "cut", run: text(whatif.run), other: text(whatif.other), depth: Number.isInteger(whatif.depth) ? whatif.depth : 10 },
    play: typeof value.play === "object" ? value.play : null,
  };
}
