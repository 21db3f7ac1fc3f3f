// The model of a game in progress in one browser: the latest state from the server, a mark that the server has not
// confirmed yet, and the earlier position on display. It computes no rules: the server's view has the legal moves and
// their targets.

import { movesOf, viewAt } from "./frames.js";
import { capital, plural } from "./parts.js";

/** @import { GameData, Hint, PlayedGame, View } from "./types.d.ts" */

/** A position with a mark that was just placed: until the server responds, no other move is possible. */
export function withMark(/** @type {View} */ view, /** @type {number} */ cell, /** @type {string} */ mark) {
  const target = view.targets?.[view.moves?.[cell] ?? -1];
  return {
    ...view,
    cells: view.cells.slice(0, cell) + mark + view.cells.slice(cell + 1),
    last: cell,
    moves: {},
    marks: [],
    hints: [],
    open: target?.blocks ?? [],
    player: target?.player ?? view.player,
  };
}

/** Why a cell cannot be played in a position. */
export const unplayable = (/** @type {View} */ view, /** @type {number} */ cell) =>
  view.cells[cell] === "." ? `This cell cannot be played now. ${view.status}.` : "This cell is taken.";

/** The position without legal moves. */
export const toLookAt = (/** @type {View} */ view) => ({ ...view, moves: {}, marks: [] });

export class PlayedModel {
  constructor() {
    /** @type {PlayedGame} */
    this.game = /** @type {any} */ (null);
    /** @type {GameData | null} */
    this.record = null;
    /** The earlier position on display; null: the latest. @type {number | null} */
    this.at = null;
    /** @type {Hint | null} */
    this.hint = null;
    /** @type {{ cell: number, mark: string } | null} */
    this.pending = null;
  }

  /** Takes an update from the server. Returns whether it is the first, and whether it has new moves. */
  update(/** @type {PlayedGame} */ message) {
    const first = this.game === null,
      before = this.count + (this.pending ? 1 : 0);
    if (!first && message.moves.length !== this.count) this.at = null;
    this.game = message;
    this.hint = this.pending = null;
    return { first, moved: !first && message.moves.length > before };
  }

  get count() {
    return this.game?.moves.length ?? 0;
  }
  get playing() {
    return this.game.you.length > 0;
  }
  get myMove() {
    return this.game.view.player !== null && this.game.you.includes(this.game.view.player);
  }
  /** The seat at the bottom. */
  get seat() {
    return this.playing ? this.game.you[0] : 0;
  }

  // Placing a mark.

  /** Shows a mark at once. Returns the message for the server. */
  place(/** @type {number} */ cell, /** @type {string} */ mark) {
    this.pending = { cell, mark };
    return { type: "move", cell, mark };
  }

  /** Takes the mark back, since the server refused it or cannot be reached. */
  takeBack() {
    const had = this.pending !== null;
    this.pending = null;
    return had;
  }

  /** Why a cell cannot be played now. */
  refusal(/** @type {number} */ cell) {
    const { game } = this,
      { view } = game;
    if (game.over) return "The game is over.";
    if (!this.playing) return "You are watching this game.";
    if (this.pending) return "Your move is being sent.";
    if (!this.myMove) return `It is not your move: ${this.nameOf(view.player ?? 0)} is to move.`;
    return unplayable(view, cell);
  }

  // Earlier positions.

  /** Goes to a position. Returns whether the record must be loaded first. */
  step(/** @type {number} */ n) {
    this.at = n >= this.count ? null : n;
    return this.at !== null && !this.recorded;
  }

  /** Whether the record matches this game: after a restart or an undo, an old one may not. */
  get recorded() {
    const moves = this.record && movesOf(this.record);
    return moves?.length === this.count && moves.every(({ text }, i) => text === this.game.moves[i][1]);
  }

  // Display.

  /** The position to show; null if the record is not loaded yet. @returns {View | null} */
  view() {
    const { view } = this.game;
    if (this.at !== null) return this.recorded && this.record ? toLookAt(viewAt(this.record, this.at)) : null;
    if (this.pending) return withMark(view, this.pending.cell, this.pending.mark);
    return this.hint ? { ...view, hints: [this.hint] } : view;
  }

  nameOf(/** @type {number} */ player) {
    const { you, together, people, seats } = this.game;
    if (you.includes(player) && !together) return "You";
    return people && this.playing && !seats[player].named ? "Your opponent" : seats[player].title;
  }

  headline() {
    const { game } = this,
      { view } = game;
    if (this.at !== null) return this.at ? `After ${game.moves[this.at - 1][1]}` : "The start";
    if (game.over) return game.result ?? "";
    if (!this.playing) return "You are watching";
    if (game.offered) return "Waiting for someone to accept your challenge";
    if (game.together) return `${capital(view.shape.names[view.player ?? 0])} to move`;
    if (!this.myMove || this.pending) return `${this.nameOf(this.opponent)} is thinking`;
    return view.bonus ? "Your bonus move" : "Your move";
  }

  /** Who has an open offer: "me", "them", or null. */
  offeredBy(/** @type {string} */ kind) {
    const by = this.game.offers[kind];
    return by === undefined ? null : this.game.you.includes(by) ? "me" : "them";
  }

  /** The title of the tab. */
  tabTitle() {
    const { game } = this,
      { title } = game.view.shape;
    if (game.over) return `Game over: ${title}`;
    return this.myMove && !game.together ? `Your move: ${title}` : `${title}: noughts`;
  }

  /** The thinking player, while this browser waits. */
  get opponent() {
    return this.myMove ? 1 - this.seat : (this.game.view.player ?? 1 - this.seat);
  }

  /** The displayed position, in words. */
  positionText() {
    if (this.at !== null) return `Move ${this.at} of ${this.count}`;
    return plural(this.count, "move");
  }
}
