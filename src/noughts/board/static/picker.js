// A menu over a cell that takes several marks, to choose one.

import { clamp, el, toneClass, toneOf } from "./shapes.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Picker {
  /** Open it in a frame, over the spot of a cell. label: the question, for screen readers. */
  constructor(frame, spot, { cell, view, label }) {
    this.spot = spot;
    this.cell = cell;
    this.marks = view.marks;
    this.items = view.marks.map((mark) =>
      el(
        "button",
        {
          type: "button",
          role: "menuitem",
          tabindex: -1,
          class: toneClass(toneOf(view.shape, mark)),
          "data-mark": mark,
        },
        mark,
      ),
    );
    this.node = el("div", { class: "board-picker", role: "menu", "aria-label": label }, ...this.items);
    frame.append(this.node);
    const over = spot.getBoundingClientRect(),
      around = frame.getBoundingClientRect(),
      own = this.node.getBoundingClientRect();
    const left = over.left - around.left + (over.width - own.width) / 2;
    const top = over.top - around.top + (over.height - own.height) / 2;
    this.node.style.left = `${clamp(left, 0, Math.max(0, around.width - own.width))}px`;
    this.node.style.top = `${clamp(top, 0, around.height - own.height)}px`;
    spot.classList.add("picked");
    this.items[0].focus({ preventScroll: true });
  }

  close() {
    const focused = this.node.contains(document.activeElement);
    this.spot.classList.remove("picked");
    if (focused) this.spot.focus({ preventScroll: true });
    this.node.remove();
  }

  /** The mark that a key stands for, or null. */
  markOf(key) {
    return this.marks.find((mark) => mark === key.toUpperCase()) ?? null;
  }

  /** Moves through the marks by key. Returns whether the key does so. */
  walk(key) {
    const { items } = this,
      at = items.indexOf(document.activeElement);
    if (key in STEPS) items[(at + STEPS[key] + items.length) % items.length].focus();
    else if (key === "Home") items[0].focus();
    else if (key === "End") items.at(-1).focus();
    else return false;
    return true;
  }
}
