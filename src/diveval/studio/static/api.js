/* Requests to the server: the token, one shape of error, and jobs with progress that can be cancelled. */

const KEY = "diveval-studio-token";

const bearer = (token) => ({ authorization: "Bearer " + token });

const works = (token) =>
  fetch("/api/session", { headers: bearer(token) }).then(
    (answer) => answer.ok,
    () => false,
  );

/**
 * Store the token, which the first address has in its fragment, and remove it, so that copied addresses lack it. A token
 * that works is kept: any page may open an address here, and must not log this one out.
 */
export async function takeToken() {
  const found = /^#token=([\w-]+)(?:&(.*))?$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", location.pathname + (found[2] ? "#" + found[2] : ""));
  const stored = localStorage.getItem(KEY);
  if (!stored || (stored !== found[1] && !(await works(stored)))) localStorage.setItem(KEY, found[1]);
}

export class Refused extends Error {}

/** The server has dropped the collection. */
export class Gone extends Refused {}

const token = () => bearer(localStorage.getItem(KEY) || "");

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
export const upload = (file) =>
  send("POST", "/api/files?name=" + encodeURIComponent(file.name), file, "application/octet-stream");

const isJob = (answer) =>
  answer && typeof answer === "object" && "id" in answer && "state" in answer && "done" in answer;

/** A pause, cut short by an abort. */
const pause = (wait, signal) =>
  new Promise((done) => {
    setTimeout(done, wait);
    signal?.addEventListener("abort", done, { once: true });
  });

const followed = new Set();

/** Cancel the running jobs of a page that is closed; `keepalive` lets the requests outlive the page. */
window.addEventListener("pagehide", () => {
  for (const id of followed)
    fetch("/api/jobs/" + id, { method: "DELETE", headers: token(), keepalive: true }).catch(() => {});
});

/**
 * Send a request, and if it starts a job, poll it to its end. `progress(job)` is called meanwhile; `signal` cancels it.
 * A request that waits for its answer is aborted itself. The request that starts a job is not: without its answer the
 * job's id would be unknown, and the job could not be cancelled.
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
