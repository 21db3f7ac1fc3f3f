import assert from "node:assert/strict";
import { test } from "node:test";
import { turnsOf, valueText } from "./parts.js";
import { listed, Tree } from "./tree.js";

const WRITTEN = "4 0 (1 3 {weaker} (5 2)) 8 2 (6 1) 1";

/** The move at the end of some texts. */
const moveAt = (tree, texts) =>
  texts.reduce((move, text) => move.children.find((child) => child.text === text), tree.root);

test("a tree is the text that it was read from", () => {
  for (const text of ["", "4", "4 0 8", WRITTEN, "{start} 3,7 (0:7,4) X4 7@4"])
    assert.equal(String(Tree.parse(text)), text);
});

test("a move that was tried before is the same move; another one is a variation", () => {
  const tree = Tree.parse("4 0 8");
  tree.go(tree.root);
  const first = tree.play("4");
  assert.equal(tree.all.length, 4);
  tree.play("2");
  assert.equal(String(tree), "4 0 (2) 8");
  assert.deepEqual(
    first.children.map(({ text }) => text),
    ["0", "2"],
  );
});

test("stepping stays on the line that was entered", () => {
  const tree = Tree.parse(WRITTEN);
  tree.go(moveAt(tree, ["4", "1"]));
  assert.deepEqual(
    tree.line().map(({ text }) => text),
    ["4", "1", "3"],
  );
  tree.go(tree.root);
  assert.equal(tree.line().length, 3);
  tree.go(moveAt(tree, ["4", "0", "8"]));
  assert.equal(tree.line().at(-1).text, "1");
});

test("a variation becomes the main line, and a move is deleted with what follows", () => {
  const tree = Tree.parse("4 0 (1 3) 8");
  assert.ok(tree.promote(moveAt(tree, ["4", "1", "3"])));
  assert.equal(String(tree), "4 1 (0 8) 3");
  assert.ok(!tree.promote(moveAt(tree, ["4", "1"])));
  tree.go(moveAt(tree, ["4", "0", "8"]));
  tree.remove(moveAt(tree, ["4", "0"]));
  assert.equal(String(tree), "4 1 3");
  assert.equal(tree.now.text, "4");
  assert.ok(!tree.rich);
});

test("comments are one line without the signs of the format", () => {
  const tree = Tree.parse("4 0");
  tree.write(moveAt(tree, ["4"]), " why {not}\n the corner? ");
  assert.equal(String(tree), "4 {why (not) the corner?} 0");
  assert.ok(Tree.parse(String(tree)).rich);
});

test("whatever a link brings is read as far as it goes", () => {
  for (const text of [")))(((", "4 ) 0 ( 1", "{never closed", "( ( 4 ) )", "4 (0 (1 (2"]) Tree.parse(text).toString();
  assert.equal(String(Tree.parse("4 ) 0 ( 1")), "4 0 (1)");
  const long = Tree.parse("1 ".repeat(50_000));
  assert.equal(long.all.length, 2001);
  assert.equal(String(long).length, 3999);
});

test("the list has the main line, each move with the variations to it", () => {
  const [first, second] = listed(Tree.parse(WRITTEN));
  assert.deepEqual(first.variations, []);
  assert.deepEqual(
    second.variations.map((line) => line.map(({ text }) => text)),
    [["1", "3"]],
  );
  assert.deepEqual(second.variations[0][1].variations[0][0].text, "5");
});

test("moves are numbered by turns, a bonus move belongs to its turn", () => {
  const moves = [0, 1, 1, 0, 0, 1, 0].map((by, i) => ({ by, text: String(i) }));
  const rows = turnsOf(moves).map(({ number, sides }) => [
    number,
    ...sides.map((side) => side.map(({ text }) => text)),
  ]);
  assert.deepEqual(rows, [
    [1, ["0"], ["1", "2"]],
    [2, ["3", "4"], ["5"]],
    [3, ["6"], []],
  ]);
  assert.deepEqual(
    turnsOf([{ by: 1 }, { by: 0 }]).map(({ sides }) => sides.map(({ length }) => length)),
    [
      [0, 1],
      [1, 0],
    ],
  );
  assert.equal(turnsOf([{ by: null }, { by: null }, { by: null }]).length, 2);
});

test("values are written with their sign", () => {
  assert.deepEqual([0.314, -0.5, 0, 1, -1, null].map(valueText), ["+0.31", "−0.50", "0.00", "+1", "−1", ""]);
});
