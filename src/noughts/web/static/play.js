// A game: the board, the players with their clocks, the moves, and everything one can ask for.

import { create } from "./board.js";
import { moveAt, movesOf, viewAt } from "./frames.js";
import { button, clockText, moveList, sign, stepper } from "./parts.js";
import { el, toneClass } from "./shapes.js";
import { copy, keyOf, kept, live, tick, toast } from "./kit.js";

const EXAMPLES = {
  extreme: "10,5",
  xtreme: "0:7,4",
  ultimate: "4,4",
  "ultimate-boards": "4,4",
  wild: "X 4",
  "wild-misere": "X 4",
  numerical: "7@4",
};

export async function show(main, id) {
  const key = keyOf(id);
  let game = null,
    record = null,
    recorded = -1,
    at = null,
    hint = null,
    arrived = 0,
    seen = 0;

  const stage = el("div", { class: "card stage" });
  const strips = [el("div", { class: "player them" }), el("div", { class: "player us" })];
  const told = el("p", { class: "told" }),
    count = el("span", { class: "soft small" });
  const panel = el("section", { class: "card panel", "aria-label": "Moves and choices" });
  const layout = el("div", { class: "play" }, strips[0], stage, panel, strips[1]);
  const loading = el("p", { class: "page soft" }, "Connecting …");
  main.append(loading);

  let shown = null,
    list = null,
    steps = null,
    buttons = null,
    typed = null,
    invite = null;

  const link = live(`/live/play/${id}`, {
    opened: () => link.send({ type: "hello", key }),
    state: (connected) => document.body.classList.toggle("offline", !connected),
    told(message) {
      if (message.type === "game") return update(message);
      if (message.type === "record") return gotRecord(message);
      if (message.type === "hint") return gotHint(message);
      if (message.type === "gone") {
        link.close();
        loading.textContent = message.error;
        main.replaceChildren(loading);
        return null;
      }
      return toast(capital(message.error));
    },
  });

  // ---- Once, when the game's shape is known.

  function build() {
    const { shape } = game.view;
    layout.classList.add(shape.boards > 1 ? "pair" : shape.nested ? "one" : "three");
    document.title = `${shape.title}: noughts`;
    shown = create(stage, {
      on: {
        move: ({ cell, mark }) => send({ type: "move", cell, mark }),
        refused: () => at !== null && latest(),
      },
    });
    list = moveList(shape, (n) => steps.go(n));
    list.element.classList.add("strip");
    steps = stepper({ count: 0, show: stepTo });
    typed = el("input", {
      type: "text",
      id: "typed",
      maxlength: 40,
      autocomplete: "off",
      placeholder: `Type a move: ${EXAMPLES[shape.game] ?? "4"}`,
      "aria-label": "Type a move",
    });
    const form = el(
      "form",
      {
        class: "ask",
        onsubmit: (event) => {
          event.preventDefault();
          type();
        },
      },
      typed,
      el("button", { class: "btn main" }, "Play"),
    );
    buttons = {
      hint: button("Hint", () => send({ type: "hint" })),
      undo: button("Undo", () => send({ type: "undo" })),
      resign: button("Resign", () => resign()),
      again: button("Rematch", () => send({ type: "rematch", swap: false })),
      swap: button("Swap sides", () => send({ type: "rematch", swap: true })),
      analyse: el("a", { class: "btn", href: "#" }, "Analyse"),
    };
    const files = el(
      "details",
      { class: "files" },
      el("summary", { class: "btn" }, "Save"),
      el(
        "ul",
        { class: "card" },
        ...[
          ["json", "Replay file"],
          ["gif", "Moving picture (GIF)"],
          ["svg", "This position (SVG)"],
          ["log", "Course log"],
        ].map(([kind, text]) =>
          el("li", {}, el("a", { href: `/api/replays/play/${id}/${kind}`, "data-kind": kind, download: "" }, text)),
        ),
      ),
    );
    const rules = el("a", { class: "btn", href: `/learn?game=${shape.game}`, target: "_blank" }, "Rules");
    invite = el("div", { class: "invite", hidden: true });
    panel.append(
      el("div", { class: "verdict" }, told, count),
      invite,
      list.element,
      steps.element,
      el("div", { class: "row choices" }, ...Object.values(buttons), files, rules),
      form,
    );
    main.replaceChildren(el("h1", { class: "hidden" }, shape.title), layout);
    addEventListener("keydown", (event) => {
      if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key !== "/") return;
      event.preventDefault();
      typed.focus();
    });
  }

  // ---- The latest from the server.

  function update(message) {
    const first = game === null,
      before = game?.moves.length ?? 0;
    game = message;
    arrived = performance.now();
    hint = null;
    if (first) build();
    if (at !== null && game.moves.length !== before) at = null;
    list.set(game.moves.map(([by, text]) => ({ by, text })));
    steps.count(game.moves.length);
    if (at === null) {
      steps.go(game.moves.length);
      draw();
    }
    if (!first && game.moves.length > before && game.version !== seen) tick(game.moves.at(-1)[0] === 0);
    seen = game.version;
    showSides();
    showChoices();
    if (game.next) follow();
  }

  const mine = () => (game.you.length ? game.you[0] : 0);
  const myMove = () => game.view.player !== null && game.you.includes(game.view.player);

  function draw() {
    const view = hint ? { ...game.view, hints: [hint] } : game.view;
    shown.show(view);
    list.mark(game.moves.length);
    told.textContent = headline();
    count.textContent = `${game.moves.length} ${game.moves.length === 1 ? "move" : "moves"}`;
  }

  function headline() {
    if (game.over) return game.result;
    if (game.asked !== null && game.you.length)
      return game.you.includes(game.asked) ? "You asked to take back" : "They ask to take back: Undo agrees";
    if (!game.you.length) return "You are watching";
    if (game.together) return `${capital(game.view.shape.names[game.view.player])} to move`;
    if (!myMove()) return `${game.seats[game.view.player].title} is thinking`;
    return game.view.bonus ? "Your bonus move" : "Your move";
  }

  function showSides() {
    const us = mine();
    strips.forEach((node, i) => {
      const player = i === 0 ? 1 - us : us,
        { shape, owners } = game.view,
        mark = shape.names[player];
      const turn = game.view.player === player,
        won = [...owners].filter((owner) => owner === mark).length;
      const name = game.you.includes(player) && !game.together ? "You" : game.seats[player].title;
      node.className = `player ${i ? "us" : "them"} ${turn ? "turn" : ""} ${toneClass(shape.seats[player])}`;
      node.replaceChildren(
        sign(shape, player),
        el("span", { class: "name" }, name),
        shape.nested ? el("span", { class: "won" }, `${won} ${won === 1 ? "block" : "blocks"}`) : "",
        game.clock === null
          ? ""
          : el(
              "span",
              { class: "clock", role: "timer", "data-player": player, "aria-label": `${name}, time left` },
              "",
            ),
      );
    });
    showClocks();
  }

  function showClocks() {
    for (const node of layout.querySelectorAll("[data-player]")) {
      const player = Number(node.dataset.player),
        runs = game.view.player === player && game.moves.length > 0;
      const left = game.clocks[player] - (runs ? (performance.now() - arrived) / 1000 : 0);
      const text = clockText(left);
      if (node.textContent !== text) node.textContent = text;
      node.classList.toggle("short", left < 20);
    }
  }
  setInterval(() => game && game.clock !== null && showClocks(), 100);

  function showChoices() {
    const playing = game.you.length > 0,
      { hint: hints, undo, resign: resigns, again, swap, analyse } = buttons;
    const vary = game.moves.map(([, text]) => text);
    hints.hidden = undo.hidden = resigns.hidden = game.over || !playing;
    again.hidden = swap.hidden = !game.over || !playing;
    hints.disabled = !myMove();
    undo.disabled = game.moves.length === 0;
    again.textContent = game.again === null ? "Rematch" : game.you.includes(game.again) ? "Asked" : "Accept rematch";
    analyse.hidden = !game.over && playing && !game.together;
    analyse.href = `/analyse?game=${game.view.shape.game}&play=${encodeURIComponent(vary.join(" "))}`;
    typed.closest("form").hidden = !playing || game.over;
    layout.querySelector('[data-kind="svg"]').href = `/api/replays/play/${id}/svg?at=${steps.now()}`;
    showInvite();
  }

  function showInvite() {
    const guest = kept.get(`guest-${id}`);
    const wanted = Boolean(guest) && game.moves.length < 2 && !game.over;
    if (!wanted) invite.hidden = true;
    if (!wanted || !invite.hidden) return;
    const address = `${location.origin}/game/${id}#key=${guest}`;
    invite.hidden = false;
    invite.replaceChildren(
      el("p", {}, "Send this link to the other player:"),
      el(
        "div",
        { class: "row" },
        el("input", {
          type: "text",
          readonly: true,
          value: address,
          "aria-label": "Link for the other player",
          onfocus: (event) => event.target.select(),
        }),
        button("Copy the link", () => copy(address, "The link"), { icon: "link" }),
      ),
    );
  }

  // ---- Stepping back: the recorded game, fetched when it is first wanted.

  function stepTo(n) {
    if (n >= game.moves.length) return latest();
    at = n;
    if (record && recorded === game.version) return drawOld();
    link.send({ type: "record" });
    return null;
  }

  function latest() {
    at = null;
    steps.go(game.moves.length);
    shown.set({ mode: "play" });
    draw();
    showChoices();
  }

  function gotRecord(message) {
    record = message.record;
    recorded = message.version;
    if (at !== null && at <= movesOf(record)) drawOld();
  }

  function drawOld() {
    shown.show({ ...viewAt(record, at), moves: {}, marks: [] });
    list.mark(at);
    told.textContent = at ? `After ${moveAt(record, at)}` : "The start";
    count.textContent = `Move ${at} of ${game.moves.length}`;
    layout.querySelector('[data-kind="svg"]').href = `/api/replays/play/${id}/svg?at=${at}`;
  }

  // ---- What the person does.

  function send(message) {
    if (!link.send(message)) toast("The server cannot be reached; trying again.");
  }

  function type() {
    if (typed.value.trim()) send({ type: "move", text: typed.value });
    typed.value = "";
  }

  function resign() {
    const dialog = el(
      "dialog",
      { class: "card", "aria-label": "Resign?" },
      el("p", {}, "Give up this game?"),
      el(
        "form",
        { method: "dialog", class: "row" },
        el("button", { class: "btn", value: "no" }, "Play on"),
        el("button", { class: "btn main", value: "yes" }, "Resign"),
      ),
    );
    document.body.append(dialog);
    dialog.addEventListener("close", () => {
      if (dialog.returnValue === "yes") send({ type: "resign" });
      dialog.remove();
    });
    dialog.showModal();
  }

  function gotHint(message) {
    if (message.version !== game.version) return;
    hint = { ...message.hint, best: true };
    latest();
    told.textContent = `Hint: ${hint.move}, ${hint.words}`;
    shown.say(told.textContent);
  }

  function follow() {
    kept.set(`key-${game.next}`, key);
    if (game.you.length) location.assign(`/game/${game.next}`);
  }
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
