// The review of a game: its mistakes as a list to click, with the better moves. The server or
// the report decides which moves are mistakes.

import { movesOf } from "./frames.js";
import { sign, valueText } from "./parts.js";
import { el, moveName } from "./shapes.js";

export const MISSED_WIN = 0;
export const ALLOWED_WIN = 1;
/** The names of the kinds of mistakes, by number. */
export const KINDS = [
  "missed a win",
  "allowed a win",
  "missed a bonus move",
  "gave a block away",
  "gave an open move",
  "costly",
];
const MISTAKES_SHOWN = 8;

/** The moves of a game that were mistakes; n: counts from 1. better: the cell of the better move, and its mark. */
export function mistakesOf(record) {
  const moves = movesOf(record);
  return (record.mistakes ?? []).map(([ply, kind, before, loss, cells, marks, exact, decisive]) => ({
    n: ply + 1,
    ...moves[ply],
    kind,
    before: before / 1000,
    loss: loss / 1000,
    exact: Boolean(exact),
    decisive: Boolean(decisive),
    better: { cell: cells[0], mark: marks[0] ?? moves[ply].mark },
    line: cells.map((cell, i) => moveName(record.shape, cell, marks[i])),
  }));
}

/** The loser by points: 0, 1 or null. */
export const loserOf = (record) =>
  record.result[0] === record.result[1] ? null : Number(record.result[0] > record.result[1]);

/** The moves of a game for `moveList`: mistakes are marked, and each has its value if it is known. */
export function reviewedMoves(record, mistakes) {
  const kinds = new Map(mistakes.map(({ n, kind }) => [n, KINDS[kind]]));
  return movesOf(record).map((move, i) => ({
    ...move,
    bad: kinds.has(i + 1),
    note: kinds.get(i + 1),
    value: record.values && record.values[i + 1] / 1000,
  }));
}

/** Marks of mistakes on the board in position n: "?" on a mistake just made, the better move before one. */
export function signsOf(mistakes, n, last) {
  const made = mistakes.find((mistake) => mistake.n === n),
    next = mistakes.find((mistake) => mistake.n === n + 1);
  return {
    flags: made ? [{ cell: last, text: "?", words: KINDS[made.kind] }] : [],
    hints: next ? [{ ...next.better, text: "best", words: "the better move", best: true }] : [],
  };
}

/**
 * The costliest moves, of the loser first: {element, shown, mark(n)}; the element is null if there are none.
 * go(n) shows a position; again(mistake), if given, adds the button "Try again from here".
 */
export function mistakeList(record, mistakes, go, /** @type {((mistake: any) => void) | null} */ again = null) {
  const loser = loserOf(record),
    buttons = new Map();
  const shown = [...mistakes]
    .sort(
      (a, b) =>
        Number(b.by === loser) - Number(a.by === loser) || Number(b.decisive) - Number(a.decisive) || b.loss - a.loss,
    )
    .slice(0, MISTAKES_SHOWN)
    .sort((a, b) => a.n - b.n);
  const item = (mistake) => {
    const { n, by, text, kind, loss, exact, decisive, line } = mistake;
    const button = el(
      "button",
      { type: "button", onclick: () => go(n) },
      el("span", { class: "soft" }, String(n)),
      el("span", {}, sign(record.shape, by), " ", el("b", {}, text), ` ${KINDS[kind]}${decisive ? ", decisive" : ""}`),
      el("span", { class: "cost" }, `−${loss.toFixed(2)}`),
      el(
        "span",
        { class: "why soft" },
        `Better: ${line[0]} (${worth(mistake)}${exact ? ", proven" : ""})`,
        line.length > 1 ? `, then ${line.slice(1, 6).join(" ")}` : null,
      ),
    );
    buttons.set(n, button);
    const retry = again && el("button", { type: "button", class: "again", onclick: () => again(mistake) }, TRY_AGAIN);
    return el("li", {}, button, retry);
  };
  const element = shown.length
    ? el("div", {}, el("h3", {}, "Costliest moves"), el("ol", { class: "slips" }, ...shown.map(item)))
    : null;
  return {
    element,
    shown,
    mark(n) {
      for (const [at, button] of buttons) {
        if (at === n) button.setAttribute("aria-current", "step");
        else button.removeAttribute("aria-current");
      }
    },
  };
}
const TRY_AGAIN = "Try again from here";

const worth = ({ before }) => (before >= 1 ? "wins" : before <= -1 ? "loses too" : `worth ${valueText(before)}`);
