// The board: draws any position of the family from a view (docs/board.md) and reports the cells that the user points at
// and chooses.
// It knows no rules: a view says what is playable, where moves lead and who has won.

import { Painting } from "./painting.js";
import { Picker } from "./picker.js";
import { cellName, clamp, el, layout, numberSize, range } from "./shapes.js";

/** @import { View } from "./types.d.ts" */

const EASY_TAP = 28; // px: smaller cells are played in two steps by a finger; a mouse hits them
const FINGERS = "(pointer: coarse)";
const STEPPING = new Set(["ArrowLeft", "ArrowRight", "Home", "End"]); // left to the page after a click
const ROOM_FOR_NUMBERS = 480; // px of board
const PEEK = 0.16; // share of a block: how much of its neighbours shows around an enlarged one
const QUIET = 300; // ms without a change before it is announced
let made = 0;

/** All texts, which can be replaced. */
const WORDS = {
  cell: (shape, at) =>
    shape.nested
      ? `${shape.boards > 1 ? `board ${at.board}, ` : ""}row ${at.row}, column ${at.col}, block ${at.block}`
      : `cell ${at.cell}`,
  empty: "empty",
  threat: "threatened by the opponent",
  last: "last move",
  playable: "playable",
  won: (mark) => `block won by ${mark}`,
  drawn: "block drawn",
  grid: (shape, board) => (shape.boards > 1 ? `${shape.title}, board ${board}` : shape.title),
  board: (board) => `board ${board}`,
  pick: (name) => `Which mark in ${name}?`,
  confirm: "Choose the cell again to play it.",
  enlarge: (block) => (block === null ? "Enlarge a block" : `Enlarge block ${block}`),
  whole: "Show the whole board",
};

/** @type {any} */
const DEFAULTS = {
  mode: "play",
  zoom: "tap",
  hints: true,
  flipped: false,
  confirm: false,
  side: null,
  numbers: "auto",
  foot: true,
  announce: true,
  words: WORDS,
  on: {},
};

/**
 * Draw a board into an element. Returns {show(view), set(options), focus(cell), zoom(block), say(text), destroy()}.
 *
 * mode: "play", "read" (cells can be reached but not played) or "picture" (one image, no foot).
 * zoom: with "tap", a tap enlarges a block of a small board; "off" disables it. hints: show view.hints. flipped: turned
 * by half.
 * confirm: a move is played when it is chosen twice. side: an element to show beside the picture, as high as it.
 * numbers: of rows and columns, "auto" (not on small pictures), true, false. foot: the line below.
 * announce: say changes.
 * on: move({cell, mark}), point(cell or null), zoom(block or null), refused(cell).
 */
export const create = (element, options = {}) => new Board(element, options);

class Board {
  constructor(element, options) {
    this.id = `board-${++made}`;
    /** @type {ResizeObserver} */
    this.watcher = new ResizeObserver(() => this.view && this.onResize());
    this.options = { ...DEFAULTS, ...options, words: { ...WORDS, ...options.words } };
    /** @type {View} */
    this.view = /** @type {any} */ (null);
    /** @type {ReturnType<typeof layout>} */
    this.plan = /** @type {any} */ (null);
    /** @type {Painting} */
    this.painting = /** @type {any} */ (null);
    /** @type {HTMLElement[]} */
    this.spots = [];
    /** @type {number | null} */
    this.zoomed = null;
    /** @type {number | null} */
    this.pointed = null;
    /** @type {Picker | null} */
    this.picker = null;
    this.at = 0;
    this.said = "";
    this.stage = el("div", { class: "board-stage" });
    this.frame = el("div", { class: "board-frame" }, this.stage);
    this.note = el("p", { class: "board-note" });
    this.map = el("button", { class: "board-map", type: "button", onclick: () => this.onMap() });
    this.foot = el("div", { class: "board-foot" }, this.note, this.map);
    this.live = el("div", { class: "board-live hidden", role: "status", "aria-live": "polite" });
    this.root = el("div", { class: "board" }, this.options.side, this.frame, this.foot, this.live);
    this.options.side?.classList.add("board-side");
    this.fingers = matchMedia(FINGERS);
    this.byPointer = false;
    this.chosen = null;
    element.append(this.root);
    this.listen();
  }

  listen() {
    const { frame } = this;
    frame.addEventListener("click", (event) => this.onClick(event));
    frame.addEventListener("keydown", (event) => this.onKey(event));
    frame.addEventListener("pointerdown", () => {
      this.byPointer = true;
    });
    frame.addEventListener("pointerover", (event) => this.point(cellOf(event)));
    frame.addEventListener("pointerleave", () => this.point(null));
    frame.addEventListener("focusin", (event) => this.onFocus(cellOf(event)));
    frame.addEventListener("focusout", () => this.point(null));
    this.watcher.observe(frame);
  }

  destroy() {
    this.watcher.disconnect();
    clearTimeout(this.timer);
    this.root.remove();
  }

  set(more) {
    this.options = {
      ...this.options,
      ...more,
      on: { ...this.options.on, ...more.on },
      words: { ...this.options.words, ...more.words },
    };
    this.plan = /** @type {any} */ (null);
    if (this.view) this.show(this.view);
  }

  get playing() {
    return this.options.mode === "play";
  }
  /** The size of the row and column numbers; 0 for none, as on a small picture. */
  get numbers() {
    const { numbers, mode } = this.options,
      { clientWidth } = this.frame;
    const wanted = numbers === "auto" ? mode !== "picture" || clientWidth >= ROOM_FOR_NUMBERS : numbers;
    return wanted ? numberSize(this.view.shape, clientWidth) : 0;
  }
  /** Whether cells are too small to hit, so that a block is enlarged first. */
  get small() {
    const { plan, options, view } = this;
    if (!plan || !view.shape.nested || options.zoom === "off" || options.mode === "picture") return false;
    return this.fingers.matches && (this.frame.clientWidth / plan.w) * plan.cell < EASY_TAP;
  }
  playable(cell) {
    return this.playing && cell !== null && String(cell) in (this.view?.moves ?? {});
  }
  targetOf(cell) {
    return this.playable(cell) ? (this.view.targets?.[this.view.moves?.[cell] ?? -1] ?? null) : null;
  }

  // The fixed parts of a shape.

  build() {
    const { shape } = this.view;
    const focused = this.stage.contains(document.activeElement);
    const plan = layout(shape, {
      numbers: this.numbers,
      roomy: this.playing && this.fingers.matches && this.frame.clientWidth < ROOM_FOR_NUMBERS,
      flipped: this.options.flipped,
    });
    this.plan = plan;
    this.frame.style.aspectRatio = `${plan.w} / ${plan.h}`;
    this.root.classList.toggle("board-flat", !shape.nested);
    this.root.dataset.mode = this.options.mode;
    this.painting = new Painting(this.id, this.view, plan, this.options);
    this.painting.showNear(this.zoomed);
    this.stage.replaceChildren(this.painting.node);
    this.spots = [];
    if (this.options.mode !== "picture") this.buildSpots();
    if (focused) this.spots[this.at]?.focus({ preventScroll: true });
  }

  /** Plain elements over the picture, for touch, keys and screen readers. */
  buildSpots() {
    const { plan } = this,
      share = (part, whole) => `${(100 * part) / whole}%`;
    for (const b of range(this.view.shape.boards)) {
      const grid = el("div", {
        role: "grid",
        "aria-label": this.options.words.grid(this.view.shape, b),
        "aria-readonly": String(!this.playing),
      });
      for (const row of range(plan.width)) {
        const line = el("div", { role: "row" });
        for (const col of range(plan.width)) {
          const cell = plan.cellAtPlace(b, row, col),
            { x, y } = plan.cellAt(cell);
          const spot = el("div", { class: "board-spot", role: "gridcell", tabindex: -1, "data-cell": cell });
          Object.assign(spot.style, {
            left: share(x, plan.w),
            top: share(y, plan.h),
            width: share(plan.cell, plan.w),
            height: share(plan.cell, plan.h),
          });
          this.spots[cell] = spot;
          line.append(spot);
        }
        grid.append(line);
      }
      this.stage.append(grid);
    }
  }

  // A position: the changes since the previous one.

  show(view) {
    const before = this.view;
    this.closePicker();
    this.chosen = null;
    this.view = view;
    const known = this.plan?.shape;
    if (!known || ["side", "nested", "boards", "title"].some((key) => known[key] !== view.shape[key])) this.build();
    this.point(null);
    const fresh = (cell) => Boolean(before) && before.shape.game === view.shape.game && before.cells[cell] === ".";
    this.painting.show(view, fresh);
    if (this.options.mode !== "picture") this.showSpots();
    if (before && (before.last !== view.last || before.cells !== view.cells)) this.zoom(null);
    this.showFoot();
    if (before && this.options.announce && view.says) this.say(view.says);
  }

  showSpots() {
    const { view, spots } = this,
      moves = Object.keys(view.moves ?? {});
    spots.forEach((spot, cell) => {
      spot.classList.toggle("playable", this.playable(cell));
      spot.setAttribute("aria-label", this.label(cell));
    });
    if (!this.stage.contains(document.activeElement)) this.at = Number(moves[0] ?? view.last ?? 0);
    spots.forEach((spot, cell) => {
      spot.tabIndex = cell === this.at ? 0 : -1;
    });
  }

  label(cell) {
    const { view, plan } = this,
      { words } = this.options,
      block = plan.blockOf(cell),
      owner = this.painting.owner(block),
      hint = this.painting.hint(cell);
    return [
      words.cell(view.shape, plan.place(cell)),
      view.cells[cell] === "." ? words.empty : view.cells[cell],
      cell === view.last && words.last,
      owner === "=" ? words.drawn : owner !== "." && words.won(owner),
      this.playable(cell) && words.playable,
      this.targetOf(cell)?.text,
      hint?.words,
      (view.flags ?? []).find((one) => one.cell === cell)?.words,
      (view.threats ?? []).includes(cell) && words.threat,
    ]
      .filter(Boolean)
      .join(", ");
  }

  // Preview of a move.

  point(cell) {
    const now = this.playable(cell) ? cell : this.chosen;
    if (now === this.pointed) return;
    this.pointed = now;
    this.painting.point(now, this.targetOf(now));
    this.showFoot();
    this.options.on.point?.(now);
  }

  showFoot() {
    const { view, options } = this,
      target = this.targetOf(this.pointed),
      { small } = this;
    this.foot.hidden = !options.foot || options.mode === "picture";
    const pointed = target ? `${cellName(view.shape, this.pointed)} ${target.text}` : null;
    const again =
      this.chosen === null ? null : `${pointed ?? cellName(view.shape, this.chosen)}. ${options.words.confirm}`;
    this.note.textContent = again ?? pointed ?? view.status ?? "";
    this.root.classList.toggle("board-small", small);
    this.map.hidden = !small;
    if (!small) return;
    const only = view.open.length === 1 ? view.open[0] : null;
    this.map.setAttribute("aria-label", this.zoomed === null ? options.words.enlarge(only) : options.words.whole);
    this.map.replaceChildren(this.painting.map(this.zoomed ?? only));
  }

  // An enlarged block: the frame keeps its size, and its contents are scaled.

  zoom(block) {
    if (block === this.zoomed) return;
    this.zoomed = block;
    const { plan, stage } = this;
    let scale = 1,
      shift = [0, 0];
    if (block !== null) {
      const { x, y } = plan.blockAt(block),
        wanted = plan.block * (1 + 2 * PEEK);
      scale = Math.min(plan.w, plan.h) / wanted;
      const centred = (start, size) =>
        clamp(50 - ((start + plan.block / 2) / size) * 100 * scale, 100 - 100 * scale, 0);
      shift = [centred(x, plan.w), centred(y, plan.h)];
    }
    stage.style.transform = block === null ? "" : `translate(${shift[0]}%, ${shift[1]}%) scale(${scale})`;
    stage.style.setProperty("--scale", scale);
    this.root.classList.toggle("board-zoomed", block !== null);
    this.painting.showNear(block);
    this.closePicker();
    this.showFoot();
    this.options.on.zoom?.(block);
  }

  /** The block that a tap enlarges: the one tapped if moves can be made there, else the only one where they can. */
  blockToEnlarge(tapped) {
    const { open } = this.view;
    return open.length === 1 && this.playing ? open[0] : tapped;
  }

  onMap() {
    this.zoom(this.zoomed === null ? this.blockToEnlarge(this.plan.blockOf(this.at)) : null);
  }

  onFocus(cell) {
    if (cell === null) return;
    if (this.spots[cell].matches(":focus-visible")) this.byPointer = false;
    this.at = cell;
    this.point(cell);
  }

  onResize() {
    const nested = this.view.shape.nested;
    if (nested && this.numbers !== this.plan.numbers) {
      this.plan = /** @type {any} */ (null);
      this.show(this.view);
    }
    if (!this.small) this.zoom(null);
    this.showFoot();
  }

  // Choosing a move.

  choose(cell, /** @type {string | null} */ mark = null) {
    if (!this.playable(cell)) return this.options.on.refused?.(cell);
    const { marks = [] } = this.view,
      chosen = mark ?? (marks.length === 1 ? marks[0] : null);
    if (chosen === null) return this.openPicker(cell);
    this.closePicker();
    if (this.options.confirm && mark === null && this.chosen !== cell) return this.askAgain(cell);
    this.chosen = null;
    return this.options.on.move?.({ cell, mark: chosen });
  }

  /** A first choice, which a second choice of the same cell confirms. */
  askAgain(cell) {
    this.chosen = cell;
    this.point(cell);
    this.showFoot();
    this.say(this.options.words.confirm);
  }

  openPicker(cell) {
    this.closePicker();
    const { words } = this.options,
      { view, plan } = this,
      label = words.pick(words.cell(view.shape, plan.place(cell)));
    this.picker = new Picker(this.frame, this.spots[cell], { cell, view, label });
  }

  closePicker() {
    const { picker } = this;
    this.picker = null;
    picker?.close();
  }

  onClick(event) {
    const item = event.target.closest("[data-mark]");
    if (item && this.picker) return this.choose(this.picker.cell, item.dataset.mark);
    const cell = cellOf(event);
    if (cell === null || this.options.mode === "picture") return this.closePicker();
    const block = this.plan.blockOf(cell);
    this.focus(cell, false);
    if (this.small && this.zoomed !== block)
      return this.zoom(this.zoomed === null ? this.blockToEnlarge(block) : block);
    return this.playing ? this.choose(cell) : null;
  }

  // Keys.

  focus(cell = this.at, follow = true) {
    const spot = this.spots?.[cell];
    if (!spot) return;
    this.spots[this.at].tabIndex = -1;
    this.at = cell;
    spot.tabIndex = 0;
    const block = this.plan.blockOf(cell);
    if (follow && this.zoomed !== null && block !== this.zoomed) this.zoom(block);
    spot.focus({ preventScroll: this.zoomed !== null });
  }

  onKey(event) {
    if (event.altKey || event.metaKey || !this.view) return;
    if (event.key === "Tab") this.byPointer = false;
    const done = this.picker ? this.pickerKey(event) : this.gridKey(event);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  }

  gridKey(event) {
    const cell = cellOf(event),
      { key } = event;
    if (cell === null) return false;
    if (key === "Escape" && this.zoomed !== null) {
      this.zoom(null);
      return true;
    }
    if (this.byPointer && STEPPING.has(key) && !event.shiftKey) return false;
    if (key.startsWith("Arrow") || key === "Home" || key === "End") return this.walk(cell, event);
    if (event.ctrlKey) return false;
    const mark = key.length === 1 ? this.view.marks?.find((one) => one === key.toUpperCase()) : null;
    if (key === "Enter" || key === " ") this.choose(cell);
    else if (mark && this.playing) this.choose(cell, mark);
    else if (key === "n" || key === "p") this.nextPlayable(cell, key === "n");
    else if (key === "z" && this.small) this.zoom(this.zoomed === null ? this.plan.blockOf(cell) : null);
    else return false;
    return true;
  }

  walk(cell, { key, shiftKey, ctrlKey }) {
    const { plan } = this,
      { boards, side } = this.view.shape,
      last = plan.width - 1;
    // Rows and columns as seen: on a flipped board they are reversed.
    const seen = (i) => (plan.flipped ? last - i : i);
    let { board, row, col } = plan.place(cell);
    [row, col] = [seen(row), seen(col)];
    this.byPointer = false;
    if (key === "Home" || key === "End") {
      const end = key === "End";
      if (ctrlKey) [board, row] = end ? [boards - 1, last] : [0, 0];
      this.focus(plan.cellAtPlace(board, seen(row), seen(end ? last : 0)));
      return true;
    }
    const step = shiftKey ? side : 1;
    if (key === "ArrowUp" || key === "ArrowDown") row = clamp(row + (key === "ArrowUp" ? -step : step), 0, last);
    else col += key === "ArrowLeft" ? -step : step;
    if (col > last && board < boards - 1) [board, col] = [board + 1, col - plan.width];
    else if (col < 0 && board > 0) [board, col] = [board - 1, col + plan.width];
    this.focus(plan.cellAtPlace(board, seen(row), seen(clamp(col, 0, last))));
    return true;
  }

  nextPlayable(cell, forward) {
    const all = Object.keys(this.view.moves ?? {}).map(Number);
    const next = forward
      ? (all.find((one) => one > cell) ?? all[0])
      : (all.findLast((one) => one < cell) ?? all.at(-1));
    if (next !== undefined) this.focus(next);
  }

  pickerKey({ key }) {
    const picker = /** @type {Picker} */ (this.picker),
      mark = picker.markOf(key);
    if (key === "Escape" || key === "Tab") this.closePicker();
    else if (mark) this.choose(picker.cell, mark);
    else return picker.walk(key);
    return true;
  }

  /** Announces a text to screen readers; after fast stepping, only the last one. */
  say(text) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (text !== this.said) this.live.textContent = this.said = text;
    }, QUIET);
  }
}

function cellOf(event) {
  const spot = event.target.closest?.(".board-spot");
  return spot ? Number(spot.dataset.cell) : null;
}
