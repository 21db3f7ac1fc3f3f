// The layout of boards and the shapes of marks: geometry and SVG, without state.

const SVG = "http://www.w3.org/2000/svg";
const FLAT = { cell: 72, inset: 0, edge: 0 };
const NESTED = { cell: 34, inset: 8, edge: 18 }; // as in the pictures that Python draws
const PAD = 4;
const GAP = 26;
const CAPTION = 24;
const ABREAST = 3; // boards beside each other; more go below
const HEADROOM = 44; // around two small boards, so that a block of them can be enlarged
const NUMBER = { least: 11, most: 19, px: 10 }; // of rows and columns: their size in the picture, and on the screen

export const range = (count) => Array.from({ length: count }, (_, i) => i);
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** A new SVG element inside `parent`. @returns {any} */
export function svg(name, attributes = {}, /** @type {Element | null} */ parent = null) {
  const node = document.createElementNS(SVG, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  parent?.append(node);
  return node;
}

/** A new HTML element. `on…` are listeners, others attributes; null and false are omitted. @returns {any} */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false && value !== undefined)
      node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An element that every page has. @returns {any} */
export const byId = (/** @type {string} */ id) => document.getElementById(id);

/** The size of row and column numbers in a picture of this width in pixels: legible if possible. */
export function numberSize({ side, boards, nested }, pixels) {
  if (!nested || !pixels) return NUMBER.least;
  const width = Math.min(boards, ABREAST) * side * (side * NESTED.cell + 2 * NESTED.inset);
  return Math.round(clamp((NUMBER.px * width) / pixels, NUMBER.least, NUMBER.most));
}

/**
 * The places of cells and blocks of a shape. numbers: the size of row and column numbers, 0 for none.
 * flipped: whether boards are rotated by half a turn, as seen by the other player.
 */
export function layout(shape, { numbers, roomy, flipped = false }) {
  const { side, nested, boards } = shape;
  const look = nested ? NESTED : FLAT;
  const cells = side * side;
  const width = nested ? cells : side;
  const block = side * look.cell + 2 * look.inset;
  const board = nested ? side * block : block;
  const left = numbers && nested ? look.edge + 1.25 * (numbers - NUMBER.least) : 0;
  const top = left + (boards > 1 ? CAPTION : 0);
  const room = roomy && boards > 1 ? HEADROOM : 0;
  const across = Math.min(boards, ABREAST),
    down = Math.ceil(boards / ABREAST);
  const along = (i) => {
    const place = flipped ? width - 1 - i : i;
    return place * look.cell + look.inset * (1 + 2 * Math.floor(place / side));
  };

  const boardAt = (b) => ({
    x: PAD + left + (b % ABREAST) * (left + board + GAP),
    y: PAD + room + top + Math.floor(b / ABREAST) * (top + board + GAP),
  });
  const place = (cell) => {
    const b = Math.floor(cell / width ** 2),
      row = Math.floor(cell / width) % width,
      col = cell % width;
    return { cell, board: b, row, col, block: nested ? Math.floor(row / side) * side + Math.floor(col / side) : 0 };
  };
  return {
    shape,
    flipped,
    width,
    along,
    boardAt,
    place,
    cell: look.cell,
    block,
    board,
    inset: look.inset,
    edge: left,
    numbers,
    count: boards * width ** 2,
    blocks: nested ? boards * cells : 1,
    w: 2 * PAD + across * (left + board) + (across - 1) * GAP,
    h: 2 * PAD + 2 * room + down * (top + board) + (down - 1) * GAP,
    cellAt(cell) {
      const { board: b, row, col } = place(cell),
        { x, y } = boardAt(b);
      return { x: x + along(col), y: y + along(row) };
    },
    blockAt(b) {
      if (!nested) return boardAt(0);
      const { x, y } = boardAt(Math.floor(b / cells)),
        i = flipped ? cells - 1 - (b % cells) : b % cells;
      return { x: x + (i % side) * block, y: y + Math.floor(i / side) * block };
    },
    blockOf: (cell) => (nested ? place(cell).board * cells + place(cell).block : 0),
    cellAtPlace: (b, row, col) => (b * width + row) * width + col,
    /** The first cell of a block. */
    firstOf: (b) => (Math.floor(b / cells) * width + Math.floor((b % cells) / side) * side) * width + (b % side) * side,
  };
}

/** A cell in notation: 4, or 3,12, or 1:2,3. */
export function cellName(shape, cell) {
  if (!shape.nested) return String(cell);
  const width = shape.side ** 2,
    row = Math.floor(cell / width) % width,
    col = cell % width;
  return `${shape.boards > 1 ? `${Math.floor(cell / width ** 2)}:` : ""}${row},${col}`;
}

/** A move in notation: the cell, with the mark if there is a choice. */
export function moveName(shape, cell, mark) {
  if (!mark || shape.choices === 1) return cellName(shape, cell);
  return /\d/.test(mark) ? `${mark}@${cell}` : `${mark}${cell}`;
}

/** A move in notation that shows how to write one: in the middle of the first board. */
export function exampleOf(shape) {
  const width = shape.nested ? shape.side ** 2 : shape.side,
    middle = Math.floor(width / 2);
  return moveName(shape, middle * width + middle, shape.marks[0]);
}

export const toneOf = (shape, mark) => shape.tones[shape.marks.indexOf(mark)] ?? 0;
export const toneClass = (tone) => (tone === null || tone === undefined ? "tone-none" : `tone-${tone}`);

/** A mark around a point; `size` is the side of its square. */
export function drawMark(parent, mark, x, y, size, tone) {
  const look = { class: `mark ${toneClass(tone)}`, "stroke-width": size * 0.115 };
  const arm = size * 0.25;
  if (mark === "X") {
    const d = `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}M${x + arm} ${y - arm}l${-2 * arm} ${2 * arm}`;
    return svg("path", { ...look, d, pathLength: 2 }, parent);
  }
  if (mark === "O") return svg("circle", { ...look, cx: x, cy: y, r: size * 0.27, pathLength: 2 }, parent);
  return drawText(parent, mark, x, y, size * 0.58, `digit ${toneClass(tone)}`);
}

/** A text centred on a point. */
export function drawText(parent, text, x, y, size, look = "") {
  const node = svg("text", { x, y: y + size * 0.355, "font-size": size, class: look }, parent);
  node.textContent = text;
  return node;
}

/** The strokes between side x side squares, without those around them. */
export function hatch({ x, y }, side, step) {
  const end = side * step;
  return range(side - 1)
    .map((i) => `M${x + (i + 1) * step} ${y}v${end}M${x} ${y + (i + 1) * step}h${end}`)
    .join("");
}

/** A stroke through the places of a line: from end to end if it is straight, else around it (a diamond). */
export function lineThrough(points, size) {
  const first = points[0],
    last = points[points.length - 1];
  const dx = last.x - first.x,
    dy = last.y - first.y,
    length = Math.hypot(dx, dy);
  const aside = (p) => Math.abs((p.x - first.x) * dy - (p.y - first.y) * dx) / length;
  if (points.every((p) => aside(p) < 1)) {
    const over = (0.36 * size) / length;
    return `M${first.x - dx * over} ${first.y - dy * over}L${last.x + dx * over} ${last.y + dy * over}`;
  }
  const middle = {
    x: points.reduce((sum, p) => sum + p.x, 0) / points.length,
    y: points.reduce((sum, p) => sum + p.y, 0) / points.length,
  };
  const turn = (p) => Math.atan2(p.y - middle.y, p.x - middle.x);
  return `M${[...points]
    .sort((a, b) => turn(a) - turn(b))
    .map((p) => `${p.x} ${p.y}`)
    .join("L")}Z`;
}

/** An arrow as an outline: a shaft of this width with a head at the second point; `short` of both points. */
export function arrowPath(from, to, width, short = 0) {
  const whole = Math.hypot(to.x - from.x, to.y - from.y),
    length = whole - short;
  if (length <= short) return "";
  const head = Math.min(2.6 * width, length - short),
    along = { x: (to.x - from.x) / whole, y: (to.y - from.y) / whole };
  const point = (far, aside) =>
    `${(from.x + far * along.x - aside * along.y).toFixed(1)} ${(from.y + far * along.y + aside * along.x).toFixed(1)}`;
  const neck = length - head,
    half = width / 2;
  const outline = [point(short, -half), point(neck, -half), point(neck, -width * 1.4), point(length, 0)];
  return `M${[...outline, point(neck, width * 1.4), point(neck, half), point(short, half)].join("L")}Z`;
}
