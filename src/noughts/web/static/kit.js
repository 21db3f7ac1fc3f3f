// What all parts of the page share: asking the server, staying connected, telling the person, sounds.

import { el } from "./shapes.js";
import { button, icon } from "./parts.js";

/** Ask the HTTP interface; an error's message is the server's sentence. */
export async function ask(path, body = undefined) {
  settle();
  const options =
    body === undefined
      ? {}
      : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, options);
  if (answer.status === 401) location.assign("/join");
  const told = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw new Error(told.error ?? `the server answered ${answer.status}`);
  return told;
}

/** Say something that went wrong or needs to be known: for a while, or until something else is asked of the server. */
export function toast(text) {
  const note = el("p", { class: "toast" }, text);
  document.getElementById("toasts").replaceChildren(note);
  setTimeout(() => note.remove(), 6000);
}

const settle = () => document.getElementById("toasts")?.replaceChildren();
addEventListener("pagehide", settle); // else it is still there when the person comes back

/**
 * A WebSocket that comes back by itself: {send(message), close()}. opened() is called whenever it is connected;
 * the server then tells everything again, so nothing is missed.
 */
export function live(path, { opened = () => {}, told, state = () => {} }) {
  let socket = null,
    wait = 250,
    over = false,
    timer = 0;
  const connect = () => {
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
    socket.addEventListener("open", () => {
      wait = 250;
      state(true);
      opened();
    });
    socket.addEventListener("message", (event) => told(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (over) return;
      state(false);
      timer = setTimeout(connect, wait);
      wait = Math.min(4000, wait * 2);
    });
  };
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
      socket.close();
    },
  };
}

// Things kept in this browser: keys of seats, choices. A browser may forbid it; then they last as long as the page.

const memory = new Map();
export const kept = {
  get(name) {
    try {
      return localStorage.getItem(`noughts-${name}`) ?? memory.get(name) ?? null;
    } catch {
      return memory.get(name) ?? null;
    }
  },
  set(name, value) {
    memory.set(name, value);
    try {
      localStorage.setItem(`noughts-${name}`, value);
    } catch {
      // kept in memory
    }
  },
};

/** The key of a seat, from the address (#key=...) or from this browser. */
export function keyOf(game) {
  const told = new URLSearchParams(location.hash.slice(1)).get("key");
  if (told) {
    kept.set(`key-${game}`, told);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return kept.get(`key-${game}`) ?? "";
}

let audio = null;

/** A soft tick when a mark is placed, unless it is switched off. */
export function tick(high = false) {
  if (kept.get("sound") === "off" || !audio) return;
  const now = audio.currentTime,
    tone = audio.createOscillator(),
    loud = audio.createGain();
  tone.type = "sine";
  tone.frequency.setValueAtTime(high ? 620 : 420, now);
  loud.gain.setValueAtTime(0.05, now);
  loud.gain.exponentialRampToValueAtTime(0.0001, now + 0.09);
  tone.connect(loud).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}

export function soundButton() {
  const off = () => kept.get("sound") === "off";
  const node = button(
    "Sound",
    () => {
      kept.set("sound", off() ? "on" : "off");
      show();
    },
    { icon: "sound", look: "quiet" },
  );
  const show = () => {
    node.replaceChildren(icon(off() ? "mute" : "sound"));
    node.setAttribute("aria-pressed", String(!off()));
  };
  show();
  // Browsers allow sound only after a gesture.
  const wake = () => {
    audio ??= new AudioContext();
  };
  addEventListener("pointerdown", wake, { once: true });
  return node;
}

/** Copy a text, and say so. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast(text);
  }
}

/** A labelled choice: {element, value(), set(options)}; an option is [value, text]. */
export function choice(label, options, { value = null, changed = () => {} } = {}) {
  const select = el("select", { onchange: () => changed(select.value) });
  const element = el("label", { class: "choice" }, el("span", {}, label), select);
  const set = (given, chosen) => {
    select.replaceChildren(
      ...given.map(([key, text]) => el("option", { value: key, selected: String(key) === String(chosen) }, text)),
    );
  };
  set(options, value);
  return { element, select, set, value: () => select.value };
}
