/* Talking to the server: the token, one shape of error, jobs with progress, and only the newest of many questions. */

const KEY = "diveval-studio-token";

/** The token comes in the address's fragment once, and is taken out of it before anybody copies the address. */
export function takeToken() {
  const found = /^#token=([\w-]+)(?:&(.*))?$/.exec(location.hash);
  if (!found) return;
  localStorage.setItem(KEY, found[1]);
  history.replaceState(null, "", location.pathname + (found[2] ? "#" + found[2] : ""));
}

export class Refused extends Error {}

async function send(method, path, body, type, signal) {
  const headers = { authorization: "Bearer " + (localStorage.getItem(KEY) || "") };
  if (type) headers["content-type"] = type;
  let response;
  try {
    response = await fetch(path, { method, headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The studio does not answer. Is `diveval studio` still running?");
  }
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer.error || `error ${response.status}`);
  const notes = JSON.parse(response.headers.get("x-diveval-notes") || "[]");
  if (notes.length) document.dispatchEvent(new CustomEvent("notes", { detail: notes }));
  return answer;
}

export const get = (path) => send("GET", path);
export const remove = (path) => send("DELETE", path);
export const post = (path, body, signal) => send("POST", path, JSON.stringify(body), "application/json", signal);
export const upload = (file) => send("POST", "/api/files?name=" + encodeURIComponent(file.name), file, "application/octet-stream");

/** Start a job and follow it to its end. `progress(job)` is told as it goes; an aborted `signal` cancels it. */
export async function job(path, body, { progress = () => {}, signal } = {}) {
  let state = await post(path, body, signal);
  for (let wait = 30; state.state === "running"; wait = Math.min(300, wait * 1.4)) {
    if (signal && signal.aborted) {
      await remove("/api/jobs/" + state.id);
      throw new DOMException("cancelled", "AbortError");
    }
    progress(state);
    await new Promise((done) => setTimeout(done, wait));
    state = await get("/api/jobs/" + state.id);
  }
  if (state.state === "failed") throw new Refused(state.error);
  if (state.state === "cancelled") throw new DOMException("cancelled", "AbortError");
  return state;
}

/** Of many questions in a row only the newest matters: one is under way, one waits, the others are forgotten. */
export function newest(work) {
  let busy = false, waiting = null;
  return async function ask(...words) {
    if (busy) {
      waiting = words;
      return;
    }
    busy = true;
    try {
      await work(...words);
    } finally {
      busy = false;
      if (waiting) {
        const next = waiting;
        waiting = null;
        ask(...next);
      }
    }
  };
}
