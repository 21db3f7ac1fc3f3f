// Recorded games: the position after each move, rebuilt from the recorded changes.

import { capital } from "./parts.js";
import { moveName } from "./shapes.js";

/** @import { GameData } from "./types.d.ts" */

/** The moves of a record: [{by, mark, text}]. Positions are numbered from 0, so move i leads to position i + 1. */
export const movesOf = (/** @type {GameData} */ { shape, cells, by, marks }) =>
  cells.map((cell, i) => {
    const player = Number(by[i]),
      mark = marks ? marks[i] : shape.names[player];
    return { by: player, mark, text: moveName(shape, cell, mark) };
  });

/** The view after `n` moves, for the board. */
export function viewAt(record, n) {
  const { shape, situations, sets, texts } = record;
  const width = shape.nested ? shape.side ** 2 : shape.side;
  const cells = record.begin ? [...record.begin.cells] : Array(shape.boards * width ** 2).fill(".");
  const owners = record.begin ? [...record.begin.owners] : Array(shape.nested ? shape.boards * width : 0).fill(".");
  const moves = movesOf(record).slice(0, n);
  moves.forEach(({ mark }, i) => {
    cells[record.cells[i]] = mark;
  });
  for (const [ply, block, owner] of record.owners) if (ply <= n) owners[block] = owner;
  const [player, bonus, set, text] = situations[record.codes[n]];
  const over = player === null;
  const last = moves.at(-1);
  const says = last ? `${capital(shape.names[last.by])} played ${last.text}. ${texts[text]}.` : texts[text];
  return {
    shape,
    player,
    bonus: Boolean(bonus),
    open: sets[set],
    status: texts[text],
    says,
    cells: cells.join(""),
    owners: owners.join(""),
    last: n ? record.cells[n - 1] : (record.begin?.last ?? null),
    lines: over ? (record.lines ?? []) : [],
    winner: over ? record.winner : null,
    points: over ? record.points : null,
  };
}
