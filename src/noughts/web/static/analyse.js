// Analysis: what moves are worth while the engine thinks, variations to try, positions to paste and to share.

import { create } from "./board.js";
import { moveAt, moverOf, movesOf } from "./frames.js";
import { button, curve, evaluationBar, moveList, sign, stepper, verdict } from "./parts.js";
import { el } from "./shapes.js";
import { ask, choice, copy, live, toast } from "./kit.js";

const SECONDS = [2, 10, 30];

export async function show(main) {
  const games = await ask("/api/games"),
    wanted = new URLSearchParams(location.search);
  let game = games.find(({ name }) => name === wanted.get("game")) ?? games.find(({ name }) => name === "extreme");
  let start = wanted.get("position"),
    asked = wanted.get("play") ?? "";
  // A node is a position: {action, text, by, parent, children, view, value, words};
  // `now` is shown, `tip` ends its line.
  let root = null,
    now = null,
    tip = null,
    number = 0,
    seconds = SECONDS[0],
    lines = 3,
    shape = null,
    shownView = null;
  let board = null,
    list = null,
    steps = null,
    bar = null,
    curved = null;
  let typed = false; // what is in the field is somebody's who has not set it yet: no answer may overwrite it

  const stage = el("div", { class: "card stage" }),
    told = el("p", { class: "told" }),
    effort = el("span", { class: "soft small" });
  const best = el("ol", { class: "lines", "aria-label": "Best lines" }),
    others = el("div", { class: "row variations", "aria-label": "Variations" });
  const longer = button("Think longer", () => think(SECONDS[Math.min(2, SECONDS.indexOf(seconds) + 1)]));
  const field = el("input", {
    type: "text",
    maxlength: 4096,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": "Position",
    oninput: () => (typed = true),
  });
  const form = el(
    "form",
    {
      class: "ask",
      onsubmit: (event) => {
        event.preventDefault();
        paste();
      },
    },
    field,
    el("button", { class: "btn" }, "Set"),
  );
  const which = choice(
    "Game",
    games.map(({ name, title }) => [name, title]),
    { value: game.name, changed: (name) => open(name, null, "") },
  );
  const many = choice(
    "Lines",
    [1, 2, 3, 4, 5].map((n) => [n, n]),
    {
      value: lines,
      changed(n) {
        lines = Number(n);
        think();
      },
    },
  );
  const panel = el("section", { class: "card panel", "aria-label": "Analysis" });
  const layout = el("div", { class: "play" }, stage, panel);
  main.append(el("h1", { class: "hidden" }, "Analyse"), layout);

  const link = live("/live/analysis", {
    opened: () => (root ? think() : open(game.name, start, asked)),
    state: (connected) => document.body.classList.toggle("offline", !connected),
    told(message) {
      if (message.number !== number) return;
      if (message.type === "position") arrived(message);
      else if (message.type === "lines") found(message);
      else refused(message.error);
    },
  });

  // ---- The position that is asked for.

  function open(name, position, play) {
    game = games.find((each) => each.name === name);
    start = position;
    root = null;
    typed = false;
    link.send({ type: "analyse", number: ++number, game: name, position, play, moves: [], seconds, lines });
  }

  const path = (node) => (node.parent ? [...path(node.parent), node] : []);

  function think(more = SECONDS[0]) {
    seconds = more;
    longer.disabled = seconds === SECONDS.at(-1);
    link.send({
      type: "analyse",
      number: ++number,
      game: game.name,
      position: start,
      play: "",
      moves: path(now).map(({ action }) => action),
      seconds,
      lines,
    });
  }

  function refused(error) {
    if (root) think();
    else {
      open(game.name, null, "");
      typed = field.value !== ""; // to be mended
    }
    toast(error[0].toUpperCase() + error.slice(1));
  }

  /** The server's word on a position: a new game, or the node that was asked for. */
  function arrived(message) {
    if (!root) begin(message);
    now.view = message.view;
    now.position = message.position;
    if (message.value !== null) [now.value, now.words] = [message.value, message.view.status];
    draw();
  }

  function begin({ view, record, moves }) {
    root = now = { parent: null, children: [], value: null };
    for (const [i, action] of moves.entries()) {
      const node = {
        action,
        text: moveAt(record, i + 1),
        by: moverOf(record, i + 1),
        parent: now,
        children: [],
        value: null,
      };
      now.children.push(node);
      now = node;
    }
    tip = now;
    if (!shape || shape.title !== view.shape.title) build(view.shape);
    steps.count(movesOf(record));
    showMoves();
  }

  function build(given) {
    shape = given;
    layout.className = `play ${shape.boards > 1 ? "pair" : shape.nested ? "one" : "three"}`;
    document.title = `Analyse ${shape.title}: noughts`;
    steps?.destroy();
    stage.replaceChildren();
    board = create(stage, { on: { move: played } });
    list = moveList(shape, (n) => go(path(tip)[n - 1]));
    list.element.classList.add("strip");
    steps = stepper({ count: 0, show: (n) => root && go(n ? path(tip)[n - 1] : root) });
    bar = evaluationBar(shape);
    curved = curve(shape, (n) => go(n ? path(tip)[n - 1] : root));
    layout.querySelector(".evaluation")?.remove();
    layout.prepend(bar.element);
    const share = button("Share", () => copy(address(), "The address"), {});
    panel.replaceChildren(
      el("div", { class: "row" }, which.element, many.element),
      el("div", { class: "verdict" }, told, effort),
      best,
      list.element,
      others,
      curved.element,
      steps.element,
      el(
        "div",
        { class: "row choices" },
        longer,
        share,
        button("Start again", () => open(game.name, null, "")),
      ),
      form,
    );
  }

  // ---- Moving about.

  function go(node) {
    if (!node || node === now) return;
    now = node;
    typed = false;
    if (!path(tip).includes(now) && now !== root) tip = now;
    if (now.view) draw();
    else if (shownView) board.show({ ...shownView, moves: {}, marks: [] });
    think();
  }

  function played({ cell, mark }) {
    const action =
      shape.seats[0] !== null && shape.marks.length === 2
        ? cell
        : cell * shape.marks.length + shape.marks.indexOf(mark);
    play(action, { by: now.view.player, text: null });
  }

  /** Go to the position after a move; a new one becomes a variation of what was there. */
  function play(action, { by, text }) {
    let next = now.children.find((node) => node.action === action);
    if (!next) {
      const cell = Math.floor(action / (shape.seats[0] !== null && shape.marks.length === 2 ? 1 : shape.marks.length));
      next = { action, by, text: text ?? written(action, cell), parent: now, children: [], value: null };
      now.children.push(next);
    }
    if (!path(tip).includes(next)) tip = next;
    board.show({ ...now.view, moves: {}, marks: [] });
    now = next;
    typed = false;
    showMoves();
    think();
  }

  function written(action, cell) {
    if (shape.nested) {
      const width = shape.side ** 2,
        row = Math.floor(cell / width) % width;
      return `${shape.boards > 1 ? `${Math.floor(cell / width ** 2)}:` : ""}${row},${cell % width}`;
    }
    if (shape.seats[0] !== null && shape.marks.length === 2) return String(cell);
    const mark = shape.marks[action % shape.marks.length];
    return /\d/.test(mark) ? `${mark}@${cell}` : `${mark}${cell}`;
  }

  function paste() {
    const text = field.value.trim();
    if (text) open(game.name, text, "");
  }

  function address() {
    const told = new URLSearchParams({ game: game.name });
    if (start) told.set("position", start);
    const moves = path(now).map(({ text }) => text);
    if (moves.length) told.set("play", moves.join(" "));
    return `${location.origin}/analyse?${told}`;
  }

  // ---- Showing.

  function found(message) {
    now.value = message.value;
    now.words = message.words;
    now.hints = message.lines.map((line) => ({ ...line }));
    now.lines = message.lines.slice(0, message.shown);
    now.effort = message.nodes ? `depth ${message.depth}, ${amount(message.nodes)} positions` : "exact";
    draw();
  }

  function draw() {
    const seen = new Set(),
      hints = (now.hints ?? []).filter(({ cell }) => !seen.has(cell) && seen.add(cell));
    shownView = { ...now.view, hints };
    board.show(shownView);
    told.textContent = now.value === null ? "…" : verdict(shape, now.value, now.words);
    effort.textContent = now.effort ?? "";
    bar.set(now.value, now.words);
    best.replaceChildren(...(now.lines ?? []).map(line));
    if (!typed) field.value = now.position ?? "";
    history.replaceState(null, "", address().slice(location.origin.length));
    showMoves();
  }

  function line({ text, line: moves, actions, words, best: first }) {
    return el(
      "li",
      { class: first ? "best" : "" },
      el("span", { class: "worth", title: words }, text),
      el(
        "span",
        { class: "row" },
        ...moves.map((move, i) =>
          el(
            "button",
            {
              type: "button",
              class: "move",
              "aria-label": `${move}, ${words}`,
              onclick: () => follow(actions.slice(0, i + 1), moves),
            },
            move,
          ),
        ),
      ),
    );
  }

  /** Play several moves of a line: each is a node, only the last is analysed. Who moves, the next answer tells. */
  function follow(actions, texts) {
    for (const [i, action] of actions.entries()) {
      let next = now.children.find((node) => node.action === action);
      if (!next) next = { action, by: null, text: texts[i], parent: now, children: [], value: null };
      now.children.push(next);
      now = next;
    }
    tip = now;
    typed = false;
    const reached = now;
    ask("/api/positions", { game: game.name, position: start, moves: path(now).map((node) => node.action) })
      .then((answer) => {
        answer.movers.slice(-path(reached).length).forEach((by, i) => {
          path(reached)[i].by = by;
        });
        showMoves();
      })
      .catch((error) => toast(error.message));
    think();
  }

  function showMoves() {
    const nodes = path(tip),
      at = path(now).length;
    list.set(nodes.map(({ by, text }) => ({ by: by ?? 0, text })));
    list.mark(at);
    steps.count(nodes.length);
    steps.go(at);
    curved.set([root, ...nodes].map(({ value }) => value));
    curved.mark(at);
    const here = (
      now.parent?.children.length > 1 ? now.parent.children : now.children.length > 1 ? now.children : []
    ).filter((node) => node !== now);
    others.replaceChildren(
      ...here.map((node) =>
        el(
          "button",
          {
            type: "button",
            class: "btn",
            onclick() {
              tip = deepest(node);
              go(node);
            },
          },
          sign(shape, node.by ?? 0),
          ` ${node.text}`,
        ),
      ),
    );
    if (here.length) others.prepend(el("span", { class: "soft small" }, "Variations:"));
    others.hidden = !here.length;
  }

  const deepest = (node) => (node.children.length ? deepest(node.children[0]) : node);
}

const amount = (n) =>
  n >= 1e6 ? `${(n / 1e6).toFixed(1)} million` : n >= 1e3 ? `${Math.round(n / 1e3)} thousand` : String(n);
