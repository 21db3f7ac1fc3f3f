// A game in progress: the players with their clocks, the moves, and the actions.

import { button, clockText, capital } from "./parts.js";
import { el, exampleOf } from "./shapes.js";
import { enter, keyOf, live, nothingHere, ownGames, shortcut, toast } from "./kit.js";
import { bestArrow, clockOf, gamePage, saveMenu } from "./gamepage.js";
import { canAskToNotify, helloOf, notify, notifyButton, peopleBoxes } from "./people.js";
import { PlayedModel } from "./playing.js";
import { confirmed, tick } from "./settings.js";

export async function show(main, id) {
  const key = keyOf(id),
    model = new PlayedModel();
  const loading = el("p", { class: "page soft", role: "status" }, "Connecting …");
  main.append(loading);
  let arrived = 0,
    /** @type {ReturnType<typeof gamePage>} */ page;
  const typed = el("input", { type: "text", id: "typed", maxlength: 40, autocomplete: "off" });
  const boxes = peopleBoxes(id, model, send);
  /** @type {string | null} */
  let followed = null;
  const save = saveMenu((kind, n) => `/api/replays/play/${id}/${kind}${kind === "svg" ? `?at=${n}` : ""}`);
  const buttons = {
    hint: button("Hint", () => send({ type: model.game.hints ? "hint" : "hints" })),
    undo: button("Undo", () => send({ type: "undo" })),
    draw: button("Offer a draw", () => send({ type: "draw" })),
    resign: button("Resign", () => confirmed("Resign this game?", "Resign", "Play on", () => send({ type: "resign" }))),
    review: el("a", { class: "btn main", href: `/replay?kept=play&number=${id}` }, "Review"),
    again: button("Rematch", () => send({ type: "rematch", swap: false })),
    swap: button("Swap sides", () => send({ type: "rematch", swap: true })),
    next: el("a", { class: "btn main", href: "#" }, "Next game"),
    analyse: el("a", { class: "btn", href: "#" }, "Analyse"),
    notify: notifyButton(),
  };

  const link = live(`/live/play/${id}`, {
    opened: () => link.send(helloOf(id)),
    lost(why) {
      loading.textContent = why;
      if (model.takeBack()) draw();
    },
    received(message) {
      if (message.type === "game") update(message);
      else if (message.type === "record") gotRecord(message);
      else if (message.type === "hint") gotHint(message);
      else if (message.type === "gone") gone(message);
      else refused(message.error);
    },
  });

  // ---- Set-up, once the game's shape is known.

  function build() {
    const { shape } = model.game.view;
    typed.placeholder = `Type a move: ${exampleOf(shape)}`;
    typed.setAttribute("aria-label", "Type a move");
    const form = el("form", { class: "ask" }, typed, el("button", { class: "btn main" }, "Play"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (typed.value.trim()) send({ type: "move", text: typed.value });
      typed.value = "";
    });
    const rules = el("a", { class: "btn", href: `/learn?game=${shape.game}`, target: "_blank" }, "Rules");
    page = gamePage(main, shape, {
      title: shape.title,
      label: "Moves and choices",
      on: { move: ({ cell, mark }) => place(cell, mark), refused: (cell) => pointless(cell) },
      step: stepTo,
      sides: true,
      panel: ({ verdict, list, steps }) => [
        verdict,
        boxes.element,
        list,
        steps,
        el("div", { class: "row choices" }, ...Object.values(buttons), save.element, rules),
        form,
      ],
    });
    shortcut("/", () => typed.focus());
    setInterval(() => model.game.clock !== null && showClocks(), 100);
  }

  // ---- Updates from the server.

  function update(message) {
    const { first, moved } = model.update(message),
      { game } = model;
    arrived = performance.now();
    if (first) build();
    page.list.set(game.moves.map(([by, text]) => ({ by, text })));
    page.steps.count(model.count);
    if (model.at === null) page.steps.go(model.count);
    if (moved) tick(game.moves.at(-1)?.[0] === 0);
    draw();
    if (model.playing) ownGames.add(id);
    tellAbsent(moved);
    if (game.next && !first) follow();
  }

  /** Notifications for a player in another tab. */
  function tellAbsent(moved) {
    const { game } = model,
      them = model.nameOf(1 - model.seat);
    document.title = model.tabTitle();
    if (!game.people || !model.playing) return;
    if (game.over) notify(id, "The game is over", game.result ?? "");
    else if (moved && model.myMove) notify(id, "Your move", `${them} played ${game.moves.at(-1)?.[1]}.`);
    else if (Object.keys(game.offers).some((kind) => model.offeredBy(kind) === "them"))
      notify(id, "An offer", `${them} is waiting for your answer.`);
  }

  function gone({ error }) {
    link.close();
    ownGames.drop(id);
    nothingHere(main, "Game not found", `${capital(error)}.`);
  }

  function refused(error) {
    toast(capital(error));
    if (model.takeBack()) draw();
  }

  // ---- Display.

  function draw() {
    if (!page) return;
    const view = model.view();
    if (view) page.board.show({ ...view, arrows: model.hint ? bestArrow(view, model.hint.cell) : [] });
    page.list.mark(model.at ?? model.count);
    page.say(model.headline(), model.positionText());
    save.at(model.at ?? model.count);
    showSides();
    showChoices();
  }

  function showSides() {
    const { game } = model;
    page.showSides(model.seat, game.view, (player) => {
      const name = model.nameOf(player);
      const clock = clockOf(`${name}, time left`, "", { role: "timer", "data-player": player });
      const away = game.people && !game.present[player] ? [el("span", { class: "away" }, "absent")] : [];
      return { name, turn: game.view.player === player, more: [...away, ...(game.clock === null ? [] : [clock])] };
    });
    showClocks();
  }

  function showClocks() {
    const { game } = model;
    for (const node of page.layout.querySelectorAll("[data-player]")) {
      const player = Number(node.dataset.player),
        runs = game.view.player === player && model.count > 0;
      const left = game.clocks[player] - (runs ? (performance.now() - arrived) / 1000 : 0),
        text = clockText(left);
      if (node.textContent !== text) node.textContent = text;
      node.classList.toggle("short", left < 20);
    }
  }

  function showChoices() {
    const { game, playing } = model,
      { hint, undo, draw: drawn, resign, review, again, swap, next, analyse } = buttons;
    const asked = (kind) => model.offeredBy(kind) !== null;
    hint.hidden = undo.hidden = resign.hidden = game.over || !playing;
    drawn.hidden = game.over || !playing || !game.people;
    drawn.disabled = asked("draw");
    again.hidden = swap.hidden = !game.over || !playing || game.next !== null || asked("rematch") || asked("swap");
    next.hidden = game.next === null;
    next.href = `/game/${game.next}`;
    buttons.notify.hidden = !game.people || !playing || game.over || !canAskToNotify();
    review.hidden = !game.over || !model.count;
    hint.textContent = game.hints ? "Hint" : "Ask for hints";
    hint.disabled = game.hints ? !model.myMove || model.pending !== null : asked("hints");
    undo.disabled = model.count === 0 || asked("undo");
    analyse.hidden = !game.over && playing && !game.together;
    const moves = game.moves.map(([, text]) => text).join(" ");
    analyse.href = `/analyse?${new URLSearchParams({ game: game.view.shape.game, play: moves })}`;
    typed.form.hidden = !playing || game.over;
    boxes.show();
  }

  // ---- Actions.

  function send(message) {
    const sent = link.send(message);
    if (!sent) toast("The server cannot be reached; trying again.");
    return sent;
  }

  function place(cell, mark) {
    const message = model.place(cell, mark);
    if (!send(message)) return void model.takeBack();
    tick(model.seat === 0);
    draw();
  }

  /** Handles a click on an unplayable cell: explains why, or returns from an earlier position. */
  function pointless(cell) {
    if (model.at === null) return toast(model.refusal(cell));
    page.steps.go(model.count);
    toast("You were looking at an earlier position. This is the current one.");
  }

  function stepTo(n) {
    if (model.step(n)) link.send({ type: "record" });
    draw();
  }

  function gotRecord({ record }) {
    model.record = record;
    draw();
  }

  function gotHint({ version, hint }) {
    if (version !== model.game.version) return;
    page.steps.go(model.count);
    model.hint = { ...hint, best: true };
    draw();
    page.say(`Hint: ${hint.move}, ${hint.words}`, model.positionText());
    page.board.say(`Hint: ${hint.move}, ${hint.words}`);
  }

  /** Goes to the rematch, once: a player who comes back wants to see this game. */
  function follow() {
    const { next } = model.game;
    if (!model.playing || followed === next) return;
    followed = next;
    enter({ id: next, key });
  }
}
