// Puzzles: find the move, keep the streak, see the solution played out.

import { create } from "./board.js";
import { moveAt, movesOf, viewAt } from "./frames.js";
import { button, stepper } from "./parts.js";
import { el, moveName } from "./shapes.js";
import { ask, choice, kept, tick, toast } from "./kit.js";

export async function show(main) {
  const all = await ask("/api/puzzles"),
    games = (await ask("/api/games")).filter(({ name }) => all.some(({ game }) => game === name));
  const wanted = new URLSearchParams(location.search);
  let now = null,
    streak = Number(kept.get("streak") ?? 0),
    board = null,
    steps = null,
    answered = false;
  const task = el("h1", {}, ""),
    told = el("p", { class: "told", role: "status" }),
    number = el("span", { class: "soft small" });
  const count = el("p", { class: "streak" }),
    stage = el("div", { class: "card stage" }),
    under = el("div", {});
  const which = choice("Game", [["", "All games"], ...games.map(({ name, title }) => [name, title])], {
    value: kept.get("puzzle-game") ?? "",
    changed(name) {
      kept.set("puzzle-game", name);
      next();
    },
  });
  const on = button("Next puzzle", () => next(), { look: "main" }),
    look = button("Show the solution", () => solve(null));
  const analyse = el("a", { class: "btn", href: "#" }, "Analyse");
  const panel = el(
    "section",
    { class: "card panel", "aria-label": "Puzzle" },
    which.element,
    task,
    el("div", { class: "verdict" }, told, number),
    count,
    under,
    el("div", { class: "row" }, on, look, analyse),
  );
  const layout = el("div", { class: "play" }, stage, panel);
  main.append(layout);
  await (wanted.get("number") ? open(Number(wanted.get("number"))) : next());

  /** Those that were not solved yet come first. */
  function next() {
    const done = new Set((kept.get("solved") ?? "").split(",").filter(Boolean).map(Number));
    const some = all.filter(({ game }) => !which.value() || game === which.value()),
      fresh = some.filter((one) => !done.has(one.number) && one.number !== now?.number);
    const from = fresh.length ? fresh : some;
    return open(from[Math.floor(Math.random() * from.length)].number).catch((error) => toast(error.message));
  }

  async function open(n) {
    now = await ask(`/api/puzzles/${n}`);
    answered = false;
    history.replaceState(null, "", `/puzzles?number=${n}`);
    const { shape } = now.view;
    layout.className = `play ${shape.boards > 1 ? "pair" : shape.nested ? "one" : "three"}`;
    board?.destroy();
    stage.replaceChildren();
    board = create(stage, { on: { move: ({ cell, mark }) => solve(moveName(shape, cell, mark)) } });
    board.show(now.view);
    const name = shape.names[now.view.player];
    task.textContent = now.task;
    told.textContent = `${name[0].toUpperCase()}${name.slice(1)} to move`;
    number.textContent = `${shape.title}, puzzle ${n + 1} of ${all.length}`;
    steps?.destroy();
    under.replaceChildren();
    on.hidden = true;
    look.hidden = false;
    analyse.hidden = true;
    showStreak();
  }

  async function solve(move) {
    if (answered) return;
    answered = true;
    try {
      const asked = move ?? Object.keys(now.view.moves)[0],
        { shape } = now.view;
      const answer = await ask(`/api/puzzles/${now.number}`, {
        move: move ?? moveName(shape, Number(asked), now.view.marks[0]),
      });
      const right = move !== null && answer.right;
      streak = right ? streak + 1 : 0;
      kept.set("streak", String(streak));
      if (right)
        kept.set(
          "solved",
          [...new Set([...(kept.get("solved") ?? "").split(",").filter(Boolean), now.number])].join(","),
        );
      told.textContent = right
        ? `Right: ${move}`
        : `${move === null ? "The solution is" : `Not ${move}. It was`} ${answer.solutions.join(" or ")}`;
      task.textContent = right ? "Solved" : "Not solved";
      tick(right);
      playOut(answer.record);
    } catch (error) {
      answered = false;
      toast(error.message);
    }
  }

  /** The solution on the board, move by move. */
  function playOut(record) {
    board.set({ mode: "read" });
    steps = stepper({ count: movesOf(record), show: (n) => board.show(viewAt(record, n)), speed: 1 });
    const line = Array.from({ length: movesOf(record) }, (_, i) =>
      el("button", { type: "button", class: "btn", onclick: () => steps.go(i + 1) }, moveAt(record, i + 1)),
    );
    under.replaceChildren(el("div", { class: "stack" }, el("p", { class: "row solution" }, ...line), steps.element));
    steps.go(1);
    under.querySelector('[aria-label="Play"]').click();
    on.hidden = false;
    look.hidden = true;
    analyse.hidden = false;
    analyse.href = `/analyse?${new URLSearchParams({ game: now.view.shape.game, position: now.position })}`;
    on.focus({ preventScroll: true });
    showStreak();
  }

  function showStreak() {
    count.replaceChildren(el("b", {}, String(streak)), " solved in a row");
  }
}
