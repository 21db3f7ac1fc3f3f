// Recorded games: the position after each move, rebuilt from the recorded changes.

import { moveName, range } from "./shapes.js";

/** One game of an archive as a record: the shared tables and the game's own data. */
export const recordOf = (tables, game) => ({ ...tables, ...game });

/** The number of moves of a record; positions are 0 to that number. */
export const movesOf = (record) => record.cells.length;

/** The mark of move `n`, from 1. */
export function markAt(record, n) {
  return record.marks ? record.marks[n - 1] : record.shape.names[Number(record.by[n - 1])];
}

/** The text of move `n`, from 1. */
export const moveAt = (record, n) => moveName(record.shape, record.cells[n - 1], markAt(record, n));

/** The player of move `n`, from 1. */
export const moverOf = (record, n) => Number(record.by[n - 1]);

/** The view after `n` moves, for the board. */
export function viewAt(record, n) {
  const { shape, situations, sets, texts } = record;
  const width = shape.nested ? shape.side ** 2 : shape.side;
  const cells = record.begin ? [...record.begin.cells] : Array(shape.boards * width ** 2).fill(".");
  const owners = record.begin ? [...record.begin.owners] : Array(shape.nested ? shape.boards * width : 0).fill(".");
  for (const i of range(n)) cells[record.cells[i]] = markAt(record, i + 1);
  for (const [ply, block, owner] of record.owners) if (ply <= n) owners[block] = owner;
  const [player, bonus, set, text] = situations[record.codes[n]];
  const over = player === null;
  const says = n
    ? `${capital(shape.names[moverOf(record, n)])} played ${moveAt(record, n)}. ${texts[text]}.`
    : texts[text];
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

const capital = (name) => name[0].toUpperCase() + name.slice(1);
