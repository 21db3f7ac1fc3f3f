// Settings for all boards of this browser, sounds, and the two dialogs of every page.

import { button, kept } from "./parts.js";
import { el } from "./shapes.js";
import { choice } from "./kit.js";

const DEFAULTS = { sound: "on", volume: "50", look: "standard", coordinates: "auto", confirm: "off" };
const NUMBERS = { auto: "auto", on: true, off: false };
const LOOKS = [
  ["standard", "Blue and orange"],
  ["paper", "Paper"],
  ["ink", "Black and white"],
];
const KEYS = [
  ["← → Home End", "step through the game"],
  ["/", "type a move"],
  ["f", "flip the board"],
  ["t", "show threats (Analyse)"],
  ["?", "this help"],
  ["Tab", "go to the board, then:"],
  ["← → ↑ ↓", "move by a cell; with Shift, by a block"],
  ["n p", "next and previous playable cell"],
  ["Enter, Space", "place the mark"],
  ["X O 1 … 9", "place this mark"],
  ["z, Esc", "enlarge or shrink a block (touch)"],
];
const listeners = new Set();

export const setting = (name) => kept.get(name) ?? DEFAULTS[name];

/** The options of boards, which follow the settings. */
export const boardOptions = () => ({ numbers: NUMBERS[setting("coordinates")], confirm: setting("confirm") === "on" });

/** Calls the function after each change of a setting. */
export const onSettings = (changed) => listeners.add(changed);

function choose(name, value) {
  kept.set(name, value);
  applyLook();
  for (const changed of listeners) changed();
}

export function applyLook() {
  document.documentElement.dataset.board = setting("look");
}

// ---- Sound.

/** @type {AudioContext | null} */
let audio = null;

/** Browsers allow sound only after a gesture, such as a key press. */
export function wakeSound() {
  const wake = () => {
    audio ??= new AudioContext();
    if (audio.state === "suspended") audio.resume();
  };
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, wake, { passive: true });
}

/** A soft tick when a mark is placed, unless sound is off. */
export function tick(high = false) {
  if (setting("sound") === "off" || !audio) return;
  const now = audio.currentTime,
    tone = audio.createOscillator(),
    loud = audio.createGain();
  tone.type = "sine";
  tone.frequency.setValueAtTime(high ? 620 : 420, now);
  loud.gain.setValueAtTime(Math.max(0.0001, Number(setting("volume")) / 1000), now);
  loud.gain.exponentialRampToValueAtTime(0.0001, now + 0.09);
  tone.connect(loud).connect(audio.destination);
  tone.start(now);
  tone.stop(now + 0.1);
}

// ---- Dialogs.

/** A dialog that closes by Escape, by its last button and by a click outside. */
function open(title, content, end = "Close", look = "main") {
  const close = button(end, () => dialog.close(), { look });
  const dialog = /** @type {HTMLDialogElement} */ (
    el("dialog", { class: "card", "aria-label": title }, el("h2", {}, title), ...content, close)
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks for confirmation; calls the function after a yes. */
export function confirmed(question, yes, no, act) {
  const agree = () => {
    dialog.close();
    act();
  };
  const dialog = open(question, [button(yes, agree, { look: "main" })], no, "");
}

export function openHelp() {
  if (document.querySelector("dialog[open]")) return;
  const rows = KEYS.map(([keys, what]) => el("div", {}, el("dt", {}, el("kbd", {}, keys)), el("dd", {}, what)));
  open("Keys", [el("dl", { class: "keys" }, ...rows)]);
}

export function openSettings() {
  const list = (label, name, options) =>
    choice(label, options, { value: setting(name), changed: (value) => choose(name, value) }).element;
  const switched = (label, name) => {
    const box = el("input", {
      type: "checkbox",
      checked: setting(name) === "on",
      onchange: () => choose(name, box.checked ? "on" : "off"),
    });
    return el("label", { class: "check" }, box, label);
  };
  const volume = el("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 10,
    value: setting("volume"),
    onchange() {
      choose("volume", volume.value);
      tick();
    },
  });
  const coordinates = [
    ["auto", "If there is room"],
    ["on", "Always"],
    ["off", "Never"],
  ];
  open("Settings", [
    switched("Sound", "sound"),
    el("label", { class: "choice" }, el("span", {}, "Volume"), volume),
    list("Board", "look", LOOKS),
    list("Row and column numbers", "coordinates", coordinates),
    switched("Choose a cell twice to play it", "confirm"),
    button("Keys", () => {
      document.querySelector("dialog")?.close();
      openHelp();
    }),
  ]);
}
