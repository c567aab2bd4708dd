/* Talking to the server: the token, one shape of error, and jobs with progress that can be cancelled. */

const KEY = "diveval-studio-token";

/** The token comes in the address's fragment once, and is taken out of it before anybody copies the address. */
export function takeToken() {
  const found = /^#token=([\w-]+)(?:&(.*))?$/.exec(location.hash);
  if (!found) return;
  localStorage.setItem(KEY, found[1]);
  history.replaceState(null, "", location.pathname + (found[2] ? "#" + found[2] : ""));
}

export class Refused extends Error {}

/** A collection that the server does not hold any more. */
export class Gone extends Refused {}

const token = () => ({ authorization: "Bearer " + (localStorage.getItem(KEY) || "") });

async function send(method, path, body, type, signal) {
  const headers = token();
  if (type) headers["content-type"] = type;
  let response, answer;
  try {
    response = await fetch(path, { method, headers, body, signal });
    answer = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused("The studio does not answer. Is `diveval studio` still running?");
  }
  if (response.status === 410) throw new Gone(answer.error);
  if (!response.ok) throw new Refused(answer.error || `error ${response.status}`);
  const notes = JSON.parse(response.headers.get("x-diveval-notes") || "[]");
  if (notes.length) document.dispatchEvent(new CustomEvent("notes", { detail: notes }));
  return answer;
}

export const get = (path) => send("GET", path);
export const remove = (path) => send("DELETE", path);
export const post = (path, body, signal) => send("POST", path, JSON.stringify(body), "application/json", signal);
export const upload = (file) => send("POST", "/api/files?name=" + encodeURIComponent(file.name), file, "application/octet-stream");

const isJob = (answer) => answer && typeof answer === "object" && "id" in answer && "state" in answer && "done" in answer;

/** A pause, cut short by an abort. */
const pause = (wait, signal) => new Promise((done) => {
  setTimeout(done, wait);
  signal?.addEventListener("abort", done, { once: true });
});

const followed = new Set();

/** A page that goes away leaves no work behind. */
window.addEventListener("pagehide", () => {
  for (const id of followed) fetch("/api/jobs/" + id, { method: "DELETE", headers: token(), keepalive: true }).catch(() => {});
});

/**
 * Ask, and follow to its end whatever takes long. `progress(job)` hears how far it is; an aborted `signal` cancels it.
 * A request that waits for its answer ends when it is aborted; the start of a job does not, since only its id ends the job.
 */
export async function job(path, body, { progress = () => {}, signal } = {}) {
  let state = await post(path, body, "wait" in body ? signal : undefined);
  if (!isJob(state)) return { result: state, notes: [] };
  const { id } = state;
  followed.add(id);
  try {
    for (let wait = 30; state.state === "running"; wait = Math.min(300, wait * 1.4)) {
      if (signal?.aborted) {
        await remove("/api/jobs/" + id);
        throw new DOMException("cancelled", "AbortError");
      }
      progress(state);
      await pause(wait, signal);
      if (!signal?.aborted) state = await get("/api/jobs/" + id);
    }
  } finally {
    followed.delete(id);
  }
  if (state.state === "failed") throw new Refused(state.error);
  if (state.state === "cancelled") throw new DOMException("cancelled", "AbortError");
  return state;
}
