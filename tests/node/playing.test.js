import assert from "node:assert/strict";
import { test } from "node:test";
import { PlayedModel } from "./playing.js";

const SHAPE = { game: "classic", title: "Tic-Tac-Toe", side: 3, nested: false, boards: 1, marks: "XO", seats: [0, 1] };
const shape = { ...SHAPE, choices: 1, tones: [0, 1], names: ["X", "O"] };
const TABLES = { shape, texts: ["X to move"], sets: [[]], situations: [[0, 0, 0, 0]] };

/** A game of classic after these cells, as the server tells it to the player in a seat. */
function message(cells, { you = [0], version = cells.length, ...more } = {}) {
  const marks = Array(9).fill(".");
  for (const [i, cell] of cells.entries()) marks[cell] = "XO"[i % 2];
  const player = cells.length % 2,
    mine = you.includes(player);
  const view = { shape, cells: marks.join(""), owners: "", player, bonus: false, open: [], last: cells.at(-1) ?? null };
  const legal = mine ? Object.fromEntries(marks.flatMap((mark, i) => (mark === "." ? [[i, -1]] : []))) : undefined;
  return {
    version,
    view: {
      ...view,
      lines: [],
      status: `${"XO"[player]} to move`,
      moves: legal,
      marks: mine ? ["XO"[player]] : undefined,
    },
    moves: cells.map((cell, i) => [i % 2, String(cell)]),
    seats: [{ title: "You" }, { title: "Engine" }],
    over: false,
    result: null,
    together: false,
    offers: {},
    people: false,
    present: [true, false],
    hints: true,
    you,
    ...more,
  };
}
const recordOf = (cells) => ({
  ...TABLES,
  cells,
  by: cells.map((_, i) => i % 2).join(""),
  codes: Array(cells.length + 1).fill(0),
  owners: [],
});

test("a mark appears at once and is taken back if it is refused", () => {
  const model = new PlayedModel();
  model.update(message([4, 0]));
  assert.deepEqual(model.place(8, "X"), { type: "move", cell: 8, mark: "X" });
  const { cells, moves, last } = model.view();
  assert.deepEqual([cells, moves, last], ["O...X...X", {}, 8]);
  assert.equal(model.headline(), "Engine is thinking");
  assert.ok(model.takeBack());
  assert.equal(model.view().cells, "O...X....");
  assert.ok(!model.takeBack());
});

test("a move that was shown at once is no news when the server confirms it, the answer is", () => {
  const model = new PlayedModel();
  assert.deepEqual(model.update(message([])), { first: true, moved: false });
  model.place(4, "X");
  assert.deepEqual(model.update(message([4])), { first: false, moved: false });
  assert.deepEqual(model.update(message([4, 0])), { first: false, moved: true });
});

test("a click that cannot be a move says why", () => {
  const model = new PlayedModel();
  model.update(message([4]));
  assert.equal(model.refusal(0), "It is not your move: Engine is to move.");
  model.update(message([4, 0]));
  assert.equal(model.refusal(4), "This cell is taken.");
  model.update(message([4, 0], { you: [] }));
  assert.equal(model.refusal(1), "You are watching this game.");
  model.update(message([4, 0], { over: true, result: "X wins" }));
  assert.equal(model.refusal(1), "The game is over.");
});

test("an earlier position comes from a record of this very game", () => {
  const model = new PlayedModel();
  model.update(message([4, 0, 8]));
  assert.ok(model.step(1), "the record has to be asked for");
  assert.equal(model.view(), null);
  model.record = recordOf([4, 0, 8]);
  assert.equal(model.view().cells, "....X....");
  assert.equal(model.headline(), "After 4");
  assert.ok(!model.step(2));
  assert.deepEqual([model.view().cells, model.positionText()], ["O...X....", "Move 2 of 3"]);
});

test("a record of another version or length is not used, also if a restarted server counts versions anew", () => {
  const model = new PlayedModel();
  model.update(message([4, 0, 8], { version: 3 }));
  model.record = recordOf([4, 0, 8]);
  model.update(message([4, 0, 2], { version: 3 }));
  assert.ok(model.step(1), "as long, but other moves");
  model.update(message([4, 0], { version: 3 }));
  assert.ok(model.step(1), "shorter");
});

test("a new move leads back to the game as it stands; looking at the latest needs no record", () => {
  const model = new PlayedModel();
  model.update(message([4, 0, 8]));
  model.step(1);
  model.update(message([4, 0, 8, 2]));
  assert.equal(model.at, null);
  assert.ok(!model.step(4));
  assert.equal(model.headline(), "Your move");
});

test("an offer is mine or theirs, and a watcher's neither", () => {
  const model = new PlayedModel();
  model.update(message([4], { offers: { draw: 1, hints: 0 } }));
  assert.deepEqual([model.offeredBy("draw"), model.offeredBy("hints"), model.offeredBy("undo")], ["them", "me", null]);
});

test("the tab says whose move it is", () => {
  const model = new PlayedModel();
  model.update(message([4, 0]));
  assert.equal(model.tabTitle(), "Your move: Tic-Tac-Toe");
  model.update(message([4]));
  assert.equal(model.tabTitle(), "Tic-Tac-Toe: noughts");
  model.update(message([4, 0], { you: [0, 1], together: true }));
  assert.equal(model.tabTitle(), "Tic-Tac-Toe: noughts");
  model.update(message([4, 0], { over: true, result: "X resigned: O wins" }));
  assert.equal(model.tabTitle(), "Game over: Tic-Tac-Toe");
});

test("somebody without a name is the opponent to a player, and a mark to a watcher", () => {
  const model = new PlayedModel(),
    seats = ["X", "O"].map((title) => ({ title, named: false }));
  model.update(message([4], { people: true, seats }));
  assert.deepEqual(
    [model.nameOf(0), model.nameOf(1), model.headline()],
    ["You", "Your opponent", "Your opponent is thinking"],
  );
  model.update(message([4], { people: true, seats, you: [] }));
  assert.deepEqual([model.nameOf(0), model.nameOf(1)], ["X", "O"]);
});
