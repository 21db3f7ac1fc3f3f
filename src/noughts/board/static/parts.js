// Parts of pages beside the board: steps through a game, its moves, the evaluation as bar and curve, the theme.

import { clamp, el, range, svg, toneClass } from "./shapes.js";

const ICONS = {
  first: "M6 5v14M18 5l-8 7 8 7",
  back: "M15 5l-8 7 8 7",
  next: "M9 5l8 7-8 7",
  last: "M18 5v14M6 5l8 7-8 7",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  flip: "M7 4v16M7 20l-3-3M7 20l3-3M17 20V4M17 4l-3 3M17 4l3 3",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18M15 5.5v13M18 7v10",
  settings: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h7M15 17h5M15 5v4M9 10v4M13 15v4",
  link: "M9 15l6-6M8 11l-2 2a3.5 3.5 0 0 0 5 5l2-2M16 13l2-2a3.5 3.5 0 0 0-5-5l-2 2",
};

/**
 * Returns a function that tells whether a value differs from the one before, so that elements that a person is about
 * to press are not replaced needlessly.
 */
export function changes() {
  let before = "";
  return (value) => {
    const now = JSON.stringify(value),
      changed = now !== before;
    before = now;
    return changed;
  };
}

/** A small picture for a button; the button's label describes it. */
export function icon(name) {
  const node = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", class: "icon" });
  svg("path", { d: ICONS[name] }, node);
  return node;
}

/** A button; `label` is a tooltip and read aloud if there is only an icon. */
export function button(
  label,
  onclick,
  /** @type {Record<string, any>} */ { look = "", icon: name = null, ...more } = {},
) {
  if (!name) return el("button", { type: "button", class: `btn ${look}`, onclick, ...more }, label);
  return el(
    "button",
    { type: "button", class: `btn square ${look}`, onclick, "aria-label": label, title: label, ...more },
    icon(name),
  );
}

/** A player's sign beside a name, so that colour is not the only difference: X, O, or the player's number. */
export function sign(shape, player) {
  const name = shape.names[player],
    own = name.length === 1;
  return el(
    "span",
    { class: `sign ${toneClass(shape.seats[player])} ${own ? "" : "round"}` },
    own ? name : String(player),
  );
}

/** A player's name, of any length and writing direction. Long names break between their options. */
export function nameOf(text, look = "") {
  const parts = text.split(/(?<=[:,])/).flatMap((part, i) => (i ? [el("wbr"), part] : [part])); // alphabeta: / level=3
  return el("bdi", { class: look || null, title: text }, ...parts);
}

/** Seconds in the form of a clock. */
export function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left < 10) return left.toFixed(1);
  const whole = Math.floor(left);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A number of things: "1 move", "2 moves". */
export const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** A player's name at the beginning of a sentence. */
export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** An expected result from -1 to 1 as text, with a real minus; "" if it is unknown. */
export function valueText(value) {
  if (value === null || value === undefined) return "";
  return `${value < 0 ? "−" : value > 0 ? "+" : ""}${Math.abs(value) === 1 ? "1" : Math.abs(value).toFixed(2)}`;
}

/** A value for player 0, in words: "X is ahead, 0.31". */
export function verdict(shape, value, words = null) {
  if (words) return words;
  if (Math.abs(value) < 0.02) return "Even";
  const who = capital(shape.names[value > 0 ? 0 : 1]);
  return Math.abs(value) >= 1 ? `${who} wins` : `${who} is ahead, ${Math.abs(value).toFixed(2)}`;
}

/**
 * Buttons, a slider and keys over positions 0 to `count`: {element, go(n), now(), play(), count(n), destroy()}.
 * show(n) draws. speed: positions a second when it plays by itself; null omits that button. Arrows, Home and End work
 * anywhere on the page, except where they have another meaning.
 */
export function stepper(/** @type {any} */ { count, show, speed = null }) {
  let now = -1,
    most = count,
    /** @type {any} */ timer = null,
    rate = speed;
  const slider = el("input", {
    type: "range",
    min: 0,
    max: most,
    step: 1,
    "aria-label": "Move",
    oninput: () => go(Number(slider.value)),
  });
  const playing = speed && button("Play", toggle, { icon: "play" });
  const rates =
    speed &&
    el(
      "select",
      {
        class: "speed",
        "aria-label": "Speed",
        onchange: (event) => pace(Number(event.target.value)),
      },
      ...[0.5, 1, 2, 4, 8].map((each) => el("option", { value: each, selected: each === speed }, `${each}×`)),
    );
  /** @type {[string, () => number, string][]} */
  const steps = [
    ["first", () => 0, "First position"],
    ["back", () => now - 1, "Back"],
    ["next", () => now + 1, "Forward"],
    ["last", () => most, "Last position"],
  ];
  const buttons = steps.map(([name, to, label]) => button(label, () => jump(to()), { icon: name }));
  const element = el("div", { class: "stepper" }, ...buttons, playing, rates, slider);

  function go(n) {
    const to = clamp(n, 0, most);
    if (to === now) return;
    now = to;
    slider.value = to;
    slider.setAttribute("aria-valuetext", `move ${to} of ${most}`);
    show(to);
  }
  function stop() {
    if (timer) toggle();
  }
  function jump(n) {
    stop();
    go(n);
  }
  function pace(wanted) {
    const running = timer !== null;
    stop();
    rate = wanted;
    if (running) toggle();
  }
  function toggle() {
    if (timer) {
      clearInterval(timer);
      timer = null;
    } else {
      if (now >= most) go(0);
      timer = setInterval(() => (now < most ? go(now + 1) : stop()), 1000 / rate);
    }
    if (playing) {
      playing.replaceChildren(icon(timer ? "pause" : "play"));
      playing.setAttribute("aria-label", timer ? "Pause" : "Play");
      playing.title = timer ? "Pause" : "Play";
    }
  }
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, dialog, [role=menu]") || !element.isConnected) return;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: most }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    jump(to);
  };
  document.addEventListener("keydown", onKey);
  return {
    element,
    go,
    now: () => now,
    play: toggle,
    count(n) {
      most = n;
      slider.max = n;
      if (now > n) go(n);
    },
    destroy() {
      stop();
      document.removeEventListener("keydown", onKey);
    },
  };
}

/**
 * The turns of a game, numbered: [{number, sides: [moves of player 0, moves of player 1]}]. A side has several moves
 * after a bonus, and none if the game begins with the second player. An unknown mover (null) is the other player.
 */
export function turnsOf(moves) {
  const rows = [];
  let before = 1;
  for (const move of moves) {
    const by = move.by ?? 1 - before;
    if (!rows.length || (by === 0 && before === 1)) rows.push({ number: rows.length + 1, sides: [[], []] });
    rows.at(-1).sides[by].push(move);
    before = by;
  }
  return rows;
}

/**
 * The moves of a game in numbered turns, to click: {element, set(moves), mark(key)}. A move is {by, text, key, value,
 * bad, note, comment, variations}: key is its number from 1 unless it is given; value is the expected result after it;
 * variations are lists of alternative moves. A click calls go(key).
 */
export function moveList(shape, go) {
  const element = el("ol", { class: "moves", "aria-label": "Moves", tabindex: 0 });
  const changed = changes();
  let current = null,
    buttons = new Map();

  function moveButton(move) {
    const worth = valueText(move.value);
    const node = el(
      "button",
      {
        type: "button",
        class: `move ${move.bad ? "bad" : ""} ${move.by === null ? "" : toneClass(shape.seats[move.by])}`,
        "data-key": move.key,
        onclick: () => go(move.key),
      },
      el("span", { class: "text" }, move.text + (move.bad ? "?" : "")),
      worth ? el("span", { class: "value" }, worth) : null,
      move.note ? el("span", { class: "hidden" }, move.note) : null,
    );
    buttons.set(move.key, node);
    return [node, move.comment ? el("span", { class: "comment" }, move.comment) : null];
  }
  const side = (moves, player) =>
    el("span", { class: `side ${toneClass(shape.seats[player])}` }, ...moves.flatMap(moveButton));
  const aside = (line) =>
    el(
      "li",
      { class: "variation" },
      ...line.flatMap((move) => [
        ...moveButton(move),
        ...(move.variations ?? []).map((other) => el("ul", { class: "variations" }, aside(other))),
      ]),
    );
  function turn({ number, sides }) {
    const lines = sides.flat().flatMap(({ variations = [] }) => variations);
    const row = el("li", { class: "turn" }, el("span", { class: "number" }, `${number}.`), ...sides.map(side));
    if (lines.length) row.append(el("ul", { class: "variations" }, ...lines.map(aside)));
    return row;
  }
  function mark(key) {
    current = key;
    element.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const now = buttons.get(key);
    if (!now) return void element.scrollTo(0, 0);
    now.setAttribute("aria-current", "step");
    const box = now.getBoundingClientRect(), // scrollIntoView would move the whole page
      around = element.getBoundingClientRect();
    element.scrollTop += box.top - around.top - (around.height - box.height) / 2;
    element.scrollLeft += box.left - around.left - (around.width - box.width) / 2;
  }
  return {
    element,
    mark,
    set(moves) {
      const keyed = moves.map((move, i) => ({ key: i + 1, ...move }));
      if (!changed(keyed)) return;
      buttons = new Map();
      const focused = element.contains(document.activeElement);
      element.replaceChildren(...turnsOf(keyed).map(turn));
      if (current !== null) mark(current);
      if (focused) (buttons.get(current) ?? element).focus({ preventScroll: true });
    },
  };
}

/**
 * The evaluation as a bar with its number: {element, set(value, words)}; the value is player 0's expected result,
 * -1 to 1, null if it is not known.
 */
export function evaluationBar(shape) {
  const number = el("span", { class: "worth", "aria-hidden": "true" });
  const element = el(
    "div",
    {
      class: `evaluation ${shape.seats[0] === null ? "neutral" : ""}`,
      role: "meter",
      "aria-label": "Evaluation",
      "aria-valuemin": -1,
      "aria-valuemax": 1,
    },
    number,
  );
  return {
    element,
    set(value, words = null) {
      const known = value ?? 0;
      element.style.setProperty("--share", String((1 + known) / 2));
      element.classList.toggle("behind", known < 0);
      element.setAttribute("aria-valuenow", known.toFixed(2));
      element.setAttribute("aria-valuetext", value === null ? "not known yet" : verdict(shape, known, words));
      number.textContent = value === null ? "" : valueText(Math.abs(known) < 1 ? known : Math.sign(known));
    },
  };
}

export const rowHead = (content) => el("th", { scope: "row", class: "name" }, content);

/**
 * The rows of a table. A column is [head, content(item, i), look]; its look is that of the head and of each cell, and
 * its content a text, an element, several of these, or the cell itself. rowLook(item, i): the look of a row.
 */
export function rowsOf(columns, items, rowLook = (/** @type {any} */ _item, /** @type {number} */ _i) => "") {
  const box = (content, look = "") =>
    content instanceof HTMLTableCellElement ? content : el("td", { class: look }, ...[content].flat());
  return items.map((item, i) =>
    el("tr", { class: rowLook(item, i) }, ...columns.map(([, content, look]) => box(content(item, i), look))),
  );
}

/** A table of items; see `rowsOf`. */
export function plainTable(columns, items, look = "", /** @type {any} */ rowLook = undefined) {
  const heads = columns.map(([head, , own = ""]) => el("th", { scope: "col", class: own }, ...[head].flat()));
  const body = el("tbody", {}, ...rowsOf(columns, items, rowLook));
  return el("table", { class: look }, el("thead", {}, el("tr", {}, ...heads)), body);
}

/** A box that scrolls, for what may be wider than the page. */
export const scrollBox = (label, look, ...content) =>
  el("div", { class: `${look} scroll`, tabindex: 0, role: "region", "aria-label": label }, ...content);

/** A table in its own scrolling box. */
export const table = (label, columns, items, look = "", /** @type {any} */ rowLook = undefined) =>
  scrollBox(label, "card", plainTable(columns, items, look, rowLook));

/** The measures that standings may be ordered by, except points: the head of the column, and the text of a row. */
export const MEASURES = {
  "stage reached": ["Reached", ({ reached }) => reached ?? ""],
  "points a game": ["Per game", ({ points_per_game: points }) => points.toFixed(2)],
};

/** Who won a game. */
export function outcomeOf({ first, second, winner }) {
  const names = [nameOf(first), nameOf(second)];
  if (winner === null) return el("b", {}, names[0], " and ", names[1], ": no line");
  return el("b", {}, names[winner], " beat ", names[1 - winner]);
}

/** Round numbers on an axis, about `count` of them. */
export function ticksOf(low, high, count = 4) {
  const rough = (high - low) / count || 1,
    power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough) ?? power,
    ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(Math.round(tick));
  return ticks;
}

/** The positions of values between the lowest and the highest, in percent. */
export const scaleOf = (low, high) => (value) => `${3 + ((value - low) / (high - low || 1)) * 94}%`;

/** A value with its interval, on a scale. */
export function whisker(x, ticks, { value, low, high, label }) {
  const picture = svg("svg", { class: "whisker", role: "img", "aria-label": label });
  for (const tick of ticks) svg("line", { class: "axis", x1: x(tick), x2: x(tick), y1: -24, y2: 48 }, picture);
  svg("line", { class: "range", x1: x(low), x2: x(high), y1: 10, y2: 10 }, picture);
  svg("circle", { class: "dot", cx: x(value), cy: 10, r: 5 }, picture);
  return picture;
}

/**
 * The evaluation over a game: {element, set(values, flags), mark(n)}. values: player 0's expected result for positions
 * 0 to n, null where unknown. flags: the moves that were mistakes. A click calls go(n).
 */
export function curve(shape, go) {
  const W = 600,
    H = 150,
    middle = H / 2;
  const element = svg("svg", {
    class: `curve ${shape.seats[0] === null ? "neutral" : ""}`,
    viewBox: `0 0 ${W} ${H}`,
    preserveAspectRatio: "none",
    role: "img",
  });
  const layer = svg("g", {}, element),
    dots = svg("g", {}, element),
    now = svg("path", { class: "now" }, element);
  let count = 1,
    known = [],
    current = 0;
  const x = (n) => (count ? (n / count) * W : 0),
    y = (value) => middle - value * (middle - 6);
  element.addEventListener("pointerdown", (event) => pick(event));
  element.addEventListener("pointermove", (event) => event.buttons && pick(event));
  const pick = (event) => {
    const box = element.getBoundingClientRect();
    go(clamp(Math.round(((event.clientX - box.left) / box.width) * count), 0, count));
  };
  const mark = (n) => {
    current = n;
    now.setAttribute("d", `M${x(n)} 0V${H}`);
  };
  return {
    element,
    mark,
    set(values, flags = []) {
      count = values.length - 1;
      known = range(values.length).filter((n) => values[n] !== null && values[n] !== undefined);
      const points = known.map((n) => `${x(n).toFixed(1)} ${y(values[n]).toFixed(1)}`);
      layer.replaceChildren();
      dots.replaceChildren();
      svg("path", { class: "zero", d: `M0 ${middle}H${W}` }, layer);
      if (points.length) {
        const area = (limit) => known.map((n) => `${x(n).toFixed(1)} ${y(limit(values[n])).toFixed(1)}`).join("L");
        const close = `L${x(known.at(-1))} ${middle}L${x(known[0])} ${middle}Z`;
        svg("path", { class: "ahead", d: `M${area((v) => Math.max(0, v))}${close}` }, layer);
        svg("path", { class: "behind", d: `M${area((v) => Math.min(0, v))}${close}` }, layer);
        svg("path", { class: "line", d: `M${points.join("L")}` }, layer);
      }
      for (const n of flags) svg("path", { class: "slip", d: `M${x(n)} ${y(values[n] ?? 0)}h0.01` }, dots);
      element.setAttribute(
        "aria-label",
        `Evaluation over ${count} moves${flags.length ? `, ${flags.length} mistakes` : ""}`,
      );
      mark(current);
    },
  };
}

const memory = new Map();
/** Data in this browser: choices, keys of seats. Without storage, as from disk, they last as long as the page. */
export const kept = {
  get(name) {
    try {
      return localStorage.getItem(`noughts-${name}`) ?? memory.get(name) ?? null;
    } catch {
      return memory.get(name) ?? null;
    }
  },
  set(name, value) {
    memory.set(name, value);
    try {
      localStorage.setItem(`noughts-${name}`, value);
    } catch {
      // kept in memory
    }
  },
};

/** A button that changes between light and dark. */
export function themeButton() {
  const root = document.documentElement,
    wanted = kept.get("theme");
  if (wanted === "light" || wanted === "dark") root.dataset.theme = wanted;
  return button(
    "Light or dark theme",
    () => {
      const dark = root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      kept.set("theme", root.dataset.theme);
    },
    { icon: "theme", look: "quiet" },
  );
}
