// Shared by all parts of the page: requests, connections, messages to the user.

import { capital, kept } from "./parts.js";
import { byId, el } from "./shapes.js";

/** Asks the HTTP interface. An error has the server's sentence. A Blob is sent unchanged, other data as JSON. */
export async function ask(path, /** @type {any} */ body = undefined) {
  settle();
  const options =
    body === undefined
      ? {}
      : body instanceof Blob
        ? { method: "POST", body }
        : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, options);
  if (answer.status === 401) location.assign(joinAddress());
  const reply = await answer.json().catch(() => ({ error: `the server replied with status ${answer.status}` }));
  if (!answer.ok) throw new Error(reply.error ?? `the server replied with status ${answer.status}`);
  return reply;
}

/** Shows a message for a while, or until the next request. */
export function toast(text) {
  const note = el("p", { class: "toast" }, text);
  byId("toasts").replaceChildren(note);
  setTimeout(() => note.remove(), 6000);
}

const settle = () => document.getElementById("toasts")?.replaceChildren();
addEventListener("pagehide", settle); // else it is still there when the person comes back

/** The address to join, which returns here afterwards. */
const joinAddress = () => `/join?${new URLSearchParams({ to: location.pathname + location.search })}`;
const TOKEN_WANTED = "The server needs your token again:";

/** Shows in the bar why the page is not connected; null: connected. */
function tellConnection(why) {
  document.body.classList.toggle("offline", why !== null);
  const place = document.getElementById("connection");
  if (!place || place.dataset.why === (why ?? "")) return;
  place.dataset.why = why ?? "";
  place.replaceChildren(why ?? "", ...(why === TOKEN_WANTED ? [" ", el("a", { href: joinAddress() }, "join")] : []));
}

/** Returns why a WebSocket was closed, as far as known: browsers hide the server's response. */
async function reasonOf(path, { reason }) {
  if (!navigator.onLine) return "This device is offline.";
  if (reason) return `${capital(reason)}.`;
  try {
    const answer = await fetch(path.replace(/\?.*/, ""), { cache: "no-store" });
    if (answer.status === 401) return TOKEN_WANTED;
    const refusal = answer.status === 404 ? null : (await answer.json().catch(() => null))?.error;
    return refusal ? `The server refuses: ${refusal}.` : "The server did not accept the connection; trying again.";
  } catch {
    return "The server cannot be reached; trying again.";
  }
}

/**
 * A WebSocket that reconnects by itself: {send(message), close()}. opened() is called whenever it is connected;
 * the server then sends its whole state, so nothing is missed. received(message) is called for each message, lost(why)
 * when there is no connection for now.
 */
export function live(path, { opened = () => {}, received, lost = (/** @type {string} */ _why) => {} }) {
  /** @type {WebSocket} */
  let socket,
    wait = 250,
    over = false,
    timer = 0;
  const connect = () => {
    clearTimeout(timer);
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
    socket.addEventListener("open", () => {
      wait = 250;
      tellConnection(null);
      opened();
    });
    socket.addEventListener("message", (event) => received(JSON.parse(event.data)));
    socket.addEventListener("close", async (event) => {
      if (over) return;
      timer = setTimeout(connect, wait);
      wait = Math.min(4000, wait * 2);
      const why = await reasonOf(path, event);
      if (why === TOKEN_WANTED) wait = 30_000; // trying more often would not help
      if (over || socket.readyState === WebSocket.OPEN) return;
      tellConnection(why);
      lost(why);
    });
  };
  const back = () => socket.readyState === WebSocket.CLOSED && !over && connect();
  addEventListener("online", back);
  addEventListener("offline", () => !over && tellConnection("This device is offline."));
  connect();
  return {
    send(message) {
      settle();
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    close() {
      over = true;
      clearTimeout(timer);
      removeEventListener("online", back);
      socket.close();
    },
  };
}

/** Calls the function when this key is pressed outside of fields and dialogs. Returns a function that ends this. */
export function shortcut(key, /** @type {() => void} */ act) {
  const pressed = (event) => {
    if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, dialog")) return;
    event.preventDefault();
    act();
  };
  addEventListener("keydown", pressed);
  return () => removeEventListener("keydown", pressed);
}

/** The key of a seat, from the address (#key=...) or from this browser. */
export function keyOf(game) {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key) {
    kept.set(`key-${game}`, key);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return kept.get(`key-${game}`) ?? "";
}

/** Copies a text and confirms it. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast(text);
  }
}

/** A labelled choice: {element, value(), set(options)}; an option is [value, text]. */
export function choice(label, options, /** @type {any} */ { value = null, changed = () => {} } = {}) {
  const select = el("select", { onchange: () => changed(select.value) });
  const element = el("label", { class: "choice" }, el("span", {}, label), select);
  const set = (choices, /** @type {any} */ chosen = null) => {
    select.replaceChildren(
      ...choices.map(([key, text]) => el("option", { value: key, selected: String(key) === String(chosen) }, text)),
    );
  };
  set(options, value);
  return { element, select, set, value: () => select.value };
}

/** Opens the page of a game in the seat with this key. */
export function enter({ id, key }) {
  kept.set(`key-${id}`, key);
  location.assign(`/game/${id}`);
}

/** The games of this browser by their ids, the latest first: {all(), add(id), drop(id)}. */
export const ownGames = {
  all: () => (kept.get("games") ?? "").split(" ").filter(Boolean),
  add: (id) => kept.set("games", [id, ...ownGames.all().filter((one) => one !== id)].slice(0, GAMES_KEPT).join(" ")),
  drop: (id) =>
    kept.set(
      "games",
      ownGames
        .all()
        .filter((one) => one !== id)
        .join(" "),
    ),
};
const GAMES_KEPT = 50;

/** The head of a page. */
export const head = (title, under) => el("header", {}, el("h1", {}, title), el("p", { class: "soft" }, under));

/** A page for something that was not found, with links onwards. */
export function nothingHere(
  main,
  title,
  text,
  places = [
    ["/", "Play a game"],
    ["/replay", "Open a replay"],
  ],
) {
  main.replaceChildren(
    el(
      "div",
      { class: "page" },
      el("h1", {}, title),
      el("p", {}, text),
      el(
        "p",
        { class: "row" },
        ...places.map(([href, name], at) => el("a", { class: at ? "btn" : "btn main", href }, name)),
      ),
    ),
  );
}

/** A field to drop a file on, or to choose one. opened(file): called with each. */
export function dropZone(/** @type {any} */ { id, accept, title, opened }, ...hint) {
  const file = el("input", {
    type: "file",
    accept,
    id,
    onchange: () => {
      if (file.files[0]) opened(file.files[0]);
      file.value = ""; // the same file again is opened again
    },
  });
  const zone = el(
    "label",
    { class: "card drop", for: id },
    el("b", {}, title),
    el("span", { class: "soft" }, ...hint),
    file,
  );
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    if (event.dataTransfer.files[0]) opened(event.dataTransfer.files[0]);
  });
  return zone;
}
