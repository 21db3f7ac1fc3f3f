// A game with its variations: a tree of moves. Positions and values come from the server; this module only knows the
// order of moves.
//
//   moves as text    3,7 13,12 (13,13 5,5 {sharp}) 4,4
//   brackets contain alternatives to the move before them, braces a comment on a move

const LONGEST_TEXT = 20_000;
const MOST_MOVES = 2000; // that are read from a text
const LONGEST_COMMENT = 400;

/**
 * @typedef {object} Move
 * @property {number} key  its number in the tree; 0 is the start
 * @property {string} text  the move in notation; "" at the start
 * @property {number | null} by  its player; null if unknown so far
 * @property {string} comment
 * @property {Move | null} parent
 * @property {Move[]} children  the main line first
 * @property {number | null} value  player 0's expected result after it, null if unknown
 * @property {any} found  other facts about the position
 */

export class Tree {
  constructor() {
    /** @type {Move[]} */
    this.all = [];
    this.root = this.make("", null);
    this.now = this.root;
    this.tip = this.root;
  }

  /** @param {string} text @param {Move | null} parent @returns {Move} */
  make(text, parent) {
    const key = this.all.length;
    const move = { key, text, by: null, comment: "", parent, children: [], value: null, found: {} };
    this.all.push(move);
    parent?.children.push(move);
    return move;
  }

  /** The move after another one; creates it if needed. */
  add(text, after = this.now) {
    return after.children.find((move) => move.text === text) ?? this.make(text, after);
  }

  /** The moves from the first one to this one. @param {Move} move @returns {Move[]} */
  path(move = this.now) {
    return move.parent ? [...this.path(move.parent), move] : [];
  }

  /** The current line: to the displayed position, and on from it. */
  line() {
    return this.path(this.tip);
  }

  /** Shows a position. The line continues with its main moves, unless it contains the position. @param {Move} move */
  go(move) {
    this.now = move;
    if (move !== this.root && !this.line().includes(move)) this.tip = last(move);
  }

  /** Plays a move in the displayed position. */
  play(text) {
    const move = this.add(text);
    this.now = move;
    if (!this.line().includes(move)) this.tip = last(move);
    return move;
  }

  /** Makes a variation the main line at the nearest branch. @param {Move} move */
  promote(move) {
    for (let here = move; here.parent; here = here.parent) {
      const { children } = here.parent,
        at = children.indexOf(here);
      if (at > 0) {
        children.splice(at, 1);
        children.unshift(here);
        return true;
      }
    }
    return false;
  }

  /** Removes a move and its continuation; if it was displayed, shows the position before it. @param {Move} move */
  remove(move) {
    if (!move.parent) return;
    const { parent } = move;
    parent.children.splice(parent.children.indexOf(move), 1);
    if (this.path().includes(move)) this.now = parent;
    if (this.line().includes(move)) this.tip = last(this.now);
  }

  /** @param {Move} move @param {string} text */
  write(move, text) {
    move.comment = text.replaceAll("{", "(").replaceAll("}", ")").replace(/\s+/g, " ").trim().slice(0, LONGEST_COMMENT);
  }

  /** Whether there are variations. */
  get rich() {
    return this.all.some((move) => (move.comment || move.children.length > 1) && this.holds(move));
  }

  /** Whether a move is still in the tree. @param {Move} move @returns {boolean} */
  holds(move) {
    return move.parent ? move.parent.children.includes(move) && this.holds(move.parent) : move === this.root;
  }

  toString() {
    return [...noted(this.root), ...after(this.root)].join(" ");
  }

  /** The tree of an untrusted text; ignores invalid parts. @param {string} text */
  static parse(text) {
    const tree = new Tree(),
      /** @type {Move[]} */ open = [];
    let move = tree.root;
    for (const [part] of text.slice(0, LONGEST_TEXT).matchAll(/\{[^}]*\}?|[()]|[^\s(){}]+/g)) {
      if (part === "(") {
        open.push(move);
        move = move.parent ?? move;
      } else if (part === ")") move = open.pop() ?? move;
      else if (part.startsWith("{")) tree.write(move, part.slice(1, part.endsWith("}") ? -1 : undefined));
      else if (tree.all.length <= MOST_MOVES) move = tree.add(part, move);
    }
    tree.tip = last(tree.root);
    return tree;
  }
}

/** @param {Move} move @returns {Move} */
const last = (move) => (move.children.length ? last(move.children[0]) : move);

/** @param {Move} move */
const noted = ({ comment }) => (comment ? [`{${comment}}`] : []);

/** The continuation of a move, as text. @param {Move} move @returns {string[]} */
function after({ children: [main, ...others] }) {
  if (!main) return [];
  const instead = others.map((other) => `(${[other.text, ...noted(other), ...after(other)].join(" ")})`);
  return [main.text, ...noted(main), ...instead, ...after(main)];
}

/** The tree for `moveList`: the main line, each move with the variations to it. @param {Tree} tree */
export function listed(tree) {
  /** @param {Move} move @returns {any[]} */
  const line = (move) => {
    const [main, ...others] = move.children;
    if (!main) return [];
    return [{ ...item(main), variations: others.map((other) => [item(other), ...line(other)]) }, ...line(main)];
  };
  return line(tree.root);
}

/** @param {Move} move */
const item = ({ key, text, by, value, comment }) => ({ key, text, by, value, comment });
