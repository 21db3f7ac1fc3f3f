// One recorded game: the board, moves, evaluation, clocks and prints, all shown as text.

import { create } from "./board.js";
import { movesOf, viewAt } from "./frames.js";
import { curve, evaluationBar, moveList, sign, stepper, verdict } from "./parts.js";
import { ALLOWED_WIN, loserOf, MISSED_WIN, mistakeList, mistakesOf, reviewedMoves, signsOf } from "./review.js";
import { byId, el } from "./shapes.js";

/** Packed data of the page: JSON, gzipped, in base64. */
export async function unpacked(name) {
  const bytes = Uint8Array.from(atob(byId(`packed-${name}`).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** Seconds in readable form. */
export const secondsText = (seconds) =>
  seconds < 0.001
    ? "<1 ms"
    : seconds < 0.0995
      ? `${Math.round(seconds * 1000)} ms`
      : seconds < 9.95
        ? `${seconds.toFixed(1)} s`
        : `${Math.round(seconds)} s`;

/** The reasons why games end, in words. */
export const REASONS = {
  line: "by a line",
  full: "all blocks are closed",
  no_moves: "no moves left",
  time: "out of time",
  crash: "a crash",
  tamper: "changed the board",
  invalid: "an invalid move",
  forbidden: "something forbidden",
  memory: "out of memory",
  resigned: "resigned",
  unfinished: "unfinished",
};

/** One or two sentences on why a game was lost. */
export function leadOf(record, players) {
  const loser = loserOf(record),
    mistakes = mistakesOf(record);
  if (record.fault) {
    const [who, kind] = record.fault;
    return `${players[who]} lost by a fault: ${REASONS[kind] ?? kind}.`;
  }
  if (loser === null) return "A draw.";
  const name = players[loser];
  if (!record.values) return `${players[1 - loser]} won ${record.reason === "line" ? "by a line" : "by points"}.`;
  const own = mistakes.filter((mistake) => mistake.by === loser),
    decisive = own.find((mistake) => mistake.decisive);
  const view = loser === 0 ? 1 : -1,
    values = record.values.map((value) => (value * view) / 1000);
  const best = Math.max(...values),
    peak = values.indexOf(best);
  const had =
    best >= 1
      ? `had a won position after move ${peak}`
      : best > 0.25
        ? `was ahead after move ${peak}, by ${best.toFixed(2)}`
        : "was never far ahead";
  if (!own.length) return `${name} ${had}, and made no clear mistake: it lost the game little by little.`;
  if (!decisive) {
    const largest = own.reduce((a, b) => (b.loss > a.loss ? b : a));
    const slip = `move ${largest.n}, ${largest.text}`;
    return `${name} ${had}. No single move decided it; the largest slip was ${slip}: ${largest.line[0]} was better.`;
  }
  const what =
    decisive.kind === MISSED_WIN
      ? "missed a win"
      : decisive.kind === ALLOWED_WIN
        ? "allowed a win"
        : "decided the game";
  return `${name} ${had}. Move ${decisive.n}, ${decisive.text}, ${what}: ${decisive.line[0]} was better.`;
}

/**
 * A game to step through: {element, go(n), destroy()}. record: the game with the tables that it shares, as Python made
 * them. players: two names. limit: seconds for a move, or null. seat: whose prints are shown, null for all that are
 * there. at: the position to begin with.
 */
export function gameView(record, /** @type {any} */ { players, limit = null, seat = null, at = null }) {
  const { shape } = record,
    moves = movesOf(record),
    last = moves.length;
  const values = record.values?.map((value) => value / 1000) ?? null;
  const mistakes = mistakesOf(record);
  const boardPlace = el("div", { class: "game-board" }),
    bar = values && evaluationBar(shape);
  const board = create(boardPlace, { mode: "read", side: bar?.element });
  const words = el("p", { class: "game-verdict small", "aria-live": "off" }),
    clocks = [0, 1].map(() => el("span", { class: "clock" }));
  const prints = el("pre", { class: "prints", tabindex: 0, "aria-label": "Printed output" }),
    printsBox = el("div", { class: "said" }, el("h3", {}, "Printed"), prints);
  const list = moveList(shape, (n) => steps.go(n)),
    picture = values && curve(shape, (n) => steps.go(n));
  const slips = mistakeList(record, mistakes, (n) => steps.go(n));
  const name = (player) =>
    el("p", { class: "who" }, sign(shape, player), el("bdi", {}, players[player]), clocks[player]);
  const steps = stepper({ count: last, show, speed: 2 });
  picture?.set(
    values,
    slips.shown.map(({ n }) => n),
  );
  list.set(reviewedMoves(record, mistakes));

  const spent = [[0], [0]];
  moves.forEach(({ by }, i) => {
    for (const player of [0, 1]) spent[player].push(spent[player][i] + (by === player ? record.seconds[i] / 1000 : 0));
  });

  function show(n) {
    const view = viewAt(record, n);
    Object.assign(view, signsOf(mistakes, n, view.last));
    board.show(view);
    bar?.set(values[n]);
    picture?.mark(n);
    list.mark(n);
    slips.mark(n);
    const worth = values ? `: ${verdict(shape, values[n])}${record.exact[n] === "1" ? " (proven)" : ""}` : "";
    words.textContent = `Move ${n} of ${last}${worth}`;
    for (const player of [0, 1]) {
      const own = n && moves[n - 1].by === player ? `, this move ${secondsText(record.seconds[n - 1] / 1000)}` : "";
      clocks[player].textContent = `${secondsText(spent[player][n])}${own}`;
    }
    showPrints(n);
  }

  function showPrints(n) {
    const at = n === last && record.prints?.[last] !== undefined ? last : n - 1;
    const mover = at < 0 ? null : at < last ? moves[at].by : record.fault?.[0];
    const text = (seat === null || mover === seat) && record.prints?.[at];
    printsBox.hidden = !record.prints;
    prints.textContent = text || "nothing at this move";
    prints.classList.toggle("soft", !text);
  }

  const element = el(
    "div",
    { class: "game" },
    el("div", { class: "game-left" }, boardPlace, steps.element),
    el(
      "div",
      { class: "game-side" },
      el("p", { class: "lead" }, leadOf(record, players)),
      faultOf(record, players, seat),
      el("div", {}, name(0), picture?.element, name(1), words),
      slips.element,
      printsBox,
      warningsOf(record, players, seat),
      values
        ? el(
            "p",
            { class: "soft small" },
            record.nodes
              ? "Values are expected results from 1 (won) to −1 (lost), by a search of " +
                  `${record.nodes.toLocaleString("en")} nodes for each position.`
              : "All values are exact: the game is solved.",
          )
        : null,
      limit === null ? null : el("p", { class: "soft small" }, `${secondsText(limit)} for a move.`),
    ),
    el("div", { class: "game-moves" }, el("h3", {}, "Moves"), list.element),
  );
  const worst = mistakes.find((mistake) => mistake.decisive) ?? null;
  steps.go(at ?? (worst ? worst.n : last));
  requestAnimationFrame(() => list.mark(steps.now())); // it can scroll only on the page
  const destroy = () => {
    steps.destroy();
    board.destroy();
  };
  return { element, go: steps.go, destroy };
}

function faultOf(record, players, seat) {
  if (!record.fault) return null;
  const [who, , text, line, detail] = record.fault;
  if (!text || (seat !== null && seat !== who)) return null;
  return el(
    "div",
    { class: "fault" },
    el("p", {}, el("bdi", {}, players[who]), `: ${text}${line ? `, line ${line}` : ""}`),
    detail
      ? el("details", {}, el("summary", {}, "Traceback"), el("pre", { tabindex: 0, "aria-label": "Traceback" }, detail))
      : null,
  );
}

function warningsOf(record, players, seat) {
  const warnings = (record.warnings ?? []).map((text, who) =>
    text && (seat === null || seat === who)
      ? el("p", { class: "small" }, el("bdi", {}, players[who]), `: ${text}`)
      : null,
  );
  return warnings.some(Boolean) ? el("div", {}, el("h3", {}, "Warnings"), ...warnings) : null;
}
