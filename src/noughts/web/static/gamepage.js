// The page of one game, used by play, replay, analysis and puzzles: players, the board with the evaluation
// beside it, and a panel with the state, the moves, and actions.

import { create } from "./board.js";
import { button, clockText, curve, evaluationBar, moveList, plural, sign, stepper } from "./parts.js";
import { el, toneClass } from "./shapes.js";
import { shortcut } from "./kit.js";
import { boardOptions, onSettings } from "./settings.js";

/** @import { View } from "./types.d.ts" */

const FILES = [
  ["json", "Replay file"],
  ["gif", "Animation (GIF)"],
  ["svg", "This position (SVG)"],
  ["log", "Course log"],
];

/**
 * Builds the page into `main`. label: of the panel. mode, on: of the board. go(key): a listed move was clicked, by
 * default its position is shown. step(n): called to show position n of `count`. speed: positions a second when it plays
 * by itself, null if it cannot. evaluated: with the bar and the curve. sides: with the two players. panel(parts): what
 * is in the panel, from {verdict, list, steps, curve}.
 */
export function gamePage(main, shape, /** @type {any} */ { title, label, mode = "play", on = {}, step, ...more }) {
  const { count = 0, speed = null, evaluated = false, sides = false, panel: content, go = (n) => steps.go(n) } = more;
  const stage = el("div", { class: "card stage" }),
    outcome = el("p", { class: "outcome" }),
    small = el("span", { class: "soft small" });
  /** @type {any} */
  const bar = evaluated ? evaluationBar(shape) : null;
  /** @type {any} */
  const curved = evaluated ? curve(shape, step) : null;
  const list = moveList(shape, go),
    steps = stepper({ count, show: step, speed });
  list.element.classList.add("strip");
  const strips = sides ? [el("div", { class: "player them" }), el("div", { class: "player us" })] : [];
  let flipped = false;
  const flip = button("Flip the board", turn, { icon: "flip", "aria-pressed": "false" });
  steps.element.append(flip);
  const verdict = el("div", { class: "verdict" }, outcome, small);
  const panel = el(
    "section",
    { class: "card panel", "aria-label": label },
    ...content({ verdict, list: list.element, steps: steps.element, curve: curved?.element }),
  );
  const kind = shape.boards > 1 ? "pair" : shape.nested ? "one" : "three";
  const layout = el("div", { class: `play ${kind}` }, strips[0], stage, panel, strips[1]);
  main.replaceChildren(el("h1", { class: "hidden" }, title), layout);
  document.title = `${title}: noughts`;
  const board = create(stage, { mode, on, side: bar?.element ?? null, ...boardOptions() });
  onSettings(() => board.set(boardOptions()));

  function turn() {
    flipped = !flipped;
    flip.setAttribute("aria-pressed", String(flipped));
    board.set({ flipped });
  }
  const endShortcut = shortcut("f", turn);

  return {
    layout,
    panel,
    board,
    bar,
    list,
    steps,
    curve: curved,
    /** The headline on the position, and the small text beside it. */
    say(text, beside = "") {
      outcome.textContent = text;
      small.textContent = beside;
    },
    /** The players: `us` is below; describe(player) -> {name, turn, more}, `more` being elements after the name. */
    showSides(us, view, describe) {
      strips.forEach((node, i) => {
        const player = i ? us : 1 - us,
          { name, turn: moves, more: rest = [] } = describe(player);
        const owned = [...view.owners].filter((owner) => owner === shape.names[player]).length;
        node.className = `player ${i ? "us" : "them"} ${moves ? "turn" : ""} ${toneClass(shape.seats[player])}`;
        node.replaceChildren(
          ...(name === shape.names[player] ? [] : [sign(shape, player)]),
          el("span", { class: "name" }, name),
          ...(shape.nested ? [el("span", { class: "won" }, plural(owned, "block"))] : []),
          ...rest,
        );
      });
    },
    destroy() {
      steps.destroy();
      board.destroy();
      endShortcut();
    },
  };
}

/** A player's clock, or the time used. */
export const clockOf = (label, text = "", more = {}) =>
  el("span", { class: "clock", "aria-label": label, ...more }, text);
export const usedText = (seconds) => (seconds < 10 ? `${seconds.toFixed(2)} s` : clockText(seconds));

/** Downloads of a recorded game: {element, at(n)}; address(kind, n) is the address of a file for position n. */
export function saveMenu(address) {
  const links = FILES.map(([kind, text]) => [kind, el("a", { href: address(kind, 0), download: "" }, text)]);
  const menu = el("ul", { class: "card files", popover: "auto" }, ...links.map(([, link]) => el("li", {}, link)));
  const opener = button("Save", () => menu.togglePopover(), { "aria-haspopup": "true" });
  menu.addEventListener("toggle", () => {
    const { left, top } = opener.getBoundingClientRect();
    menu.style.left = `${Math.max(8, Math.min(left, innerWidth - menu.offsetWidth - 8))}px`;
    menu.style.top = `${Math.max(8, top - menu.offsetHeight - 6)}px`;
  });
  return {
    element: el("span", { class: "save" }, opener, menu),
    at(n) {
      for (const [kind, link] of links) link.href = address(kind, n);
    },
  };
}

/**
 * Arrows from the best move to its target block, or from the last move on a flat board.
 * @returns {NonNullable<View["arrows"]>}
 */
export function bestArrow(/** @type {View} */ view, /** @type {number | null | undefined} */ cell) {
  if (cell === null || cell === undefined) return [];
  if (!view.shape.nested) return view.last === null ? [] : [{ from: view.last, cell }];
  const blocks = view.targets?.[view.moves?.[cell] ?? -1]?.blocks ?? [];
  return blocks.length === 1 ? [{ from: cell, block: blocks[0] }] : [];
}
