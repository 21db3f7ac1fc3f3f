// The picture of a position: SVG in layers, redrawn only where it changed.

import { arrowPath, clamp, drawMark, drawText, hatch, lineThrough, range, svg, toneClass, toneOf } from "./shapes.js";

const LAYERS = ["numbers", "grounds", "fine", "bold", "cells", "large", "targets", "lines", "arrows", "ghost", "near"];
const MAPPED = ["grounds", "bold", "large", "targets"];
const NEAR = 8; // the size of the numbers beside an enlarged block
const LETTER = 0.6; // the width of a digit, of its size

const centre = ({ x, y }, size) => ({ x: x + size / 2, y: y + size / 2 });

export class Painting {
  /** The fixed parts of a view's shape. id: unique in the page. options: mode, hints and words of the board. */
  constructor(id, view, plan, options) {
    this.id = id;
    this.view = view;
    this.shape = view.shape;
    this.plan = plan;
    this.options = options;
    this.node = svg("svg", { viewBox: `0 0 ${plan.w} ${plan.h}` });
    if (options.mode === "picture") this.node.setAttribute("role", "img");
    else this.node.setAttribute("aria-hidden", "true");
    this.layers = {};
    for (const name of LAYERS) this.layers[name] = svg("g", { class: `board-${name}`, id: `${id}-${name}` }, this.node);
    this.grounds = range(plan.blocks).map((block) => svg("rect", this.blockBox(block), this.layers.grounds));
    /** @type {{ key: string | null, node: any }[]} */
    this.drawn = range(plan.count).map(() => ({ key: null, node: null }));
    this.drawGrid();
  }

  blockBox(block) {
    const { x, y } = this.plan.blockAt(block),
      size = this.plan.block - 8;
    return { x: x + 4, y: y + 4, width: size, height: size, rx: 6 };
  }

  drawGrid() {
    const { plan, layers, shape } = this,
      { side } = shape;
    const inner = range(plan.blocks).map((block) => {
      const { x, y } = plan.blockAt(block);
      return hatch({ x: x + plan.inset, y: y + plan.inset }, side, plan.cell);
    });
    svg("path", { d: inner.join("") }, shape.nested ? layers.fine : layers.bold);
    if (!shape.nested) return;
    svg(
      "path",
      {
        d: range(shape.boards)
          .map((b) => hatch(plan.boardAt(b), side, plan.block))
          .join(""),
      },
      layers.bold,
    );
    for (const b of range(shape.boards)) {
      const { x, y } = plan.boardAt(b);
      if (shape.boards > 1)
        drawText(
          layers.numbers,
          this.options.words.board(b),
          x + plan.board / 2,
          y - plan.edge - 12,
          plan.numbers ? clamp(plan.numbers + 3, 14, 22) : 22,
        );
      for (const i of range(plan.edge ? plan.width : 0)) {
        const middle = plan.along(i) + plan.cell / 2;
        drawText(layers.numbers, i, x + middle, y - plan.edge / 2, plan.numbers);
        drawText(layers.numbers, i, x - plan.edge / 2 - 1, y + middle, plan.numbers);
      }
    }
  }

  /** A position. fresh(cell): whether a mark in this cell is new. */
  show(view, fresh) {
    this.view = view;
    for (const cell of range(this.plan.count)) this.showCell(cell, fresh(cell));
    this.grounds.forEach((ground, block) => {
      ground.setAttribute("class", this.groundLook(block));
    });
    this.showLarge();
    this.showLines();
    this.showArrows();
    if (this.options.mode === "picture")
      this.node.setAttribute("aria-label", [view.shape.title, view.status].filter(Boolean).join(". "));
  }

  owner(block) {
    return this.view.owners[block] ?? ".";
  }

  /** The hint that is shown in a cell. */
  hint(cell) {
    return this.options.hints ? (this.view.hints ?? []).find((one) => one.cell === cell) : undefined;
  }

  showCell(cell, fresh) {
    const { view, plan } = this,
      { shape } = view,
      mark = view.cells[cell];
    const hint = mark === "." ? this.hint(cell) : undefined;
    const flag = (view.flags ?? []).find((one) => one.cell === cell);
    const last = cell === view.last,
      faded = shape.nested && !last && this.owner(plan.blockOf(cell)) !== ".";
    const threat = (view.threats ?? []).includes(cell);
    const key = [mark, last, faded, hint?.text, hint?.mark, hint?.best, flag?.text, threat].join("|");
    if (this.drawn[cell].key === key) return;
    this.drawn[cell].node?.remove();
    this.drawn[cell] = { key, node: null };
    const numbered = !shape.nested && mark === "." && !hint && this.options.mode !== "picture";
    if (mark === "." && !hint && !numbered && !threat) return;
    const { x, y } = plan.cellAt(cell),
      middle = centre({ x, y }, plan.cell);
    const node = svg("g", { class: `${last ? "last" : ""} ${faded ? "faded" : ""}` }, this.layers.cells);
    this.drawn[cell].node = node;
    if (last) {
      const gap = plan.cell * 0.06;
      svg(
        "rect",
        { x: x + gap, y: y + gap, width: plan.cell - 2 * gap, height: plan.cell - 2 * gap, rx: plan.cell * 0.12 },
        node,
      );
    }
    if (mark !== ".") {
      const drawn = drawMark(node, mark, middle.x, middle.y, plan.cell, toneOf(shape, mark));
      if (fresh) drawn.classList.add("fresh");
    } else if (hint) this.drawHint(node, hint, middle);
    else if (numbered) drawText(node, cell, x + plan.cell - 9, y + plan.cell - 9, 8, "cell-number");
    if (threat)
      svg(
        "circle",
        { class: "threat", cx: middle.x, cy: middle.y, r: plan.cell * 0.42, "stroke-width": plan.cell * 0.07 },
        node,
      );
    if (flag) {
      svg("circle", { class: "flag", cx: x + plan.cell * 0.84, cy: y + plan.cell * 0.16, r: plan.cell * 0.2 }, node);
      drawText(node, flag.text, x + plan.cell * 0.84, y + plan.cell * 0.16, plan.cell * 0.3, "flag-text");
    }
  }

  drawHint(node, hint, { x, y }) {
    const { cell } = this.plan,
      text = hint.mark ? `${hint.mark} ${hint.text}` : hint.text;
    const look = hint.best ? "best" : "",
      size = this.view.shape.nested ? cell : cell * 0.62,
      h = size * 0.52,
      letter = size * Math.min(0.33, 1.4 / Math.max(4, text.length));
    const w = Math.min(cell * 0.94, Math.max(size * 0.94, text.length * letter * LETTER + h * 0.5));
    svg("rect", { class: `hint ${look}`, x: x - w / 2, y: y - h / 2, width: w, height: h, rx: h * 0.34 }, node);
    drawText(node, text, x, y, letter, `hint-text ${look}`);
  }

  groundLook(block) {
    const { view } = this,
      owner = this.owner(block);
    if (view.open.includes(block)) return `open ${toneClass(view.shape.seats[view.player])}`;
    if (owner === "=") return "drawn";
    return owner === "." ? "plain" : `won ${toneClass(toneOf(view.shape, owner))}`;
  }

  showLarge() {
    const { view, plan, layers } = this;
    layers.large.replaceChildren();
    [...view.owners].forEach((owner, block) => {
      const { x, y } = centre(plan.blockAt(block), plan.block);
      if (owner === "=") drawText(layers.large, "=", x, y, plan.block * 0.6, "even");
      else if (owner !== ".") drawMark(layers.large, owner, x, y, plan.block * 1.1, toneOf(view.shape, owner));
    });
  }

  showLines() {
    const { view, plan, layers } = this,
      nested = view.shape.nested,
      size = nested ? plan.block : plan.cell;
    layers.lines.replaceChildren();
    for (const line of view.lines ?? []) {
      const points = line.map((place) => centre(nested ? plan.blockAt(place) : plan.cellAt(place), size));
      svg("path", { d: lineThrough(points, size) }, layers.lines);
    }
  }

  /** view.arrows: from the middle of a cell to the middle of another cell or of a block. */
  showArrows() {
    const { view, plan, layers } = this;
    layers.arrows.replaceChildren();
    for (const { from, cell = null, block = null, look = "best" } of view.arrows ?? []) {
      const start = centre(plan.cellAt(from), plan.cell),
        end = cell === null ? centre(plan.blockAt(block), plan.block) : centre(plan.cellAt(cell), plan.cell);
      const width = plan.cell * (view.shape.nested ? 0.18 : 0.06),
        short = plan.cell * (view.shape.nested ? 0 : 0.28);
      svg("path", { class: `arrow ${look}`, d: arrowPath(start, end, width, short) }, layers.arrows);
    }
  }

  /** The preview of a move in a cell: its mark, and the blocks of its target. null: none. */
  point(cell, target) {
    const { layers, view, plan } = this;
    layers.ghost.replaceChildren();
    layers.targets.replaceChildren();
    if (cell === null) return;
    const { x, y } = centre(plan.cellAt(cell), plan.cell);
    if (view.marks.length === 1 && !this.hint(cell))
      drawMark(layers.ghost, view.marks[0], x, y, plan.cell, toneOf(view.shape, view.marks[0]));
    for (const block of target?.blocks ?? []) {
      const look = `target ${toneClass(view.shape.seats[target.player])} ${view.open.includes(block) ? "both" : ""}`;
      svg("rect", { class: look, ...this.blockBox(block) }, layers.targets);
    }
  }

  /** The numbers of the rows and columns of an enlarged block, beside it, since those of the board are hidden. */
  showNear(block) {
    const { plan, layers } = this,
      { side } = this.shape,
      beside = NEAR / 2 + 1;
    layers.near.replaceChildren();
    if (block === null || !plan.numbers) return;
    const { x, y } = plan.blockAt(block),
      first = plan.firstOf(block),
      { row, col } = plan.place(first),
      half = plan.cell / 2;
    for (const i of range(side)) {
      drawText(layers.near, col + i, plan.cellAt(first + i).x + half, y - beside, NEAR);
      drawText(layers.near, row + i, x - beside, plan.cellAt(first + i * plan.width).y + half, NEAR);
    }
  }

  /** The same picture, small and without cells; `block` is framed. */
  map(block) {
    const { plan } = this,
      node = svg("svg", { viewBox: `0 0 ${plan.w} ${plan.h}`, "aria-hidden": "true" });
    for (const name of MAPPED) svg("use", { href: `#${this.id}-${name}` }, node);
    if (block !== null) svg("rect", { class: "here", ...this.blockBox(block) }, node);
    return node;
  }
}
