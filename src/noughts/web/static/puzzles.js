// Puzzles: find the move, keep the streak, see the solution played out.

import { movesOf, viewAt } from "./frames.js";
import { button, capital, kept } from "./parts.js";
import { el, moveName } from "./shapes.js";
import { ask, choice, toast } from "./kit.js";
import { gamePage } from "./gamepage.js";
import { withMark } from "./playing.js";
import { tick } from "./settings.js";

export async function show(main) {
  const all = await ask("/api/puzzles"),
    games = (await ask("/api/games")).filter(({ name }) => all.some(({ game }) => game === name));
  const wanted = new URLSearchParams(location.search).get("number");
  /** @type {any} */
  let now = null;
  /** @type {ReturnType<typeof gamePage>} */
  let page;
  /** @type {any} */
  let record = null;
  let answered = false;
  const task = el("h2", { class: "task" }),
    streak = el("p", { class: "streak" });
  const on = button("Next puzzle", () => next(), { look: "main" }),
    look = button("Show the solution", () => solve(null)),
    retry = button("Try again", () => open(now.number));
  const analyse = el("a", { class: "btn", href: "#" }, "Analyse");
  const which = choice("Game", [["", "All games"], ...games.map(({ name, title }) => [name, title])], {
    value: kept.get("puzzle-game") ?? "",
    changed(name) {
      kept.set("puzzle-game", name);
      next();
    },
  });
  await (wanted ? open(Number(wanted)) : next());

  /** Unsolved puzzles come first. */
  function next() {
    const done = new Set(solved()),
      some = all.filter(({ game }) => !which.value() || game === which.value()),
      fresh = some.filter((one) => !done.has(one.number) && one.number !== now?.number);
    const from = fresh.length ? fresh : some;
    return open(from[Math.floor(Math.random() * from.length)].number).catch((error) => toast(error.message));
  }

  async function open(n) {
    now = await ask(`/api/puzzles/${n}`);
    answered = false;
    record = null;
    history.replaceState(null, "", `/puzzles?number=${n}`);
    const { shape } = now.view;
    page?.destroy();
    page = gamePage(main, shape, {
      title: "Puzzles",
      label: "Puzzle",
      on: {
        move: ({ cell, mark }) => solve(moveName(shape, cell, mark), { cell, mark }),
        refused: () => !answered && toast(`This cell cannot be played. ${now.view.status}.`),
      },
      step: (move) => record && drawSolution(move), // a key may ask before there is one
      speed: 1,
      panel: ({ verdict, list, steps }) => [
        which.element,
        task,
        verdict,
        streak,
        list,
        steps,
        el("div", { class: "row choices" }, on, retry, look, analyse),
      ],
    });
    page.board.show(now.view);
    task.textContent = now.task;
    page.say(`${capital(shape.names[now.view.player])} to move`, `${shape.title}, puzzle ${n + 1} of ${all.length}`);
    showChoices();
  }

  function showChoices() {
    on.hidden = retry.hidden = analyse.hidden = !answered;
    look.hidden = answered;
    page.steps.element.hidden = page.list.element.hidden = record === null;
    streak.replaceChildren(el("b", {}, kept.get("streak") ?? "0"), " solved in a row");
  }

  /** Sends a move as the answer; null asks for the solution. */
  async function solve(move, /** @type {any} */ placed = null) {
    if (answered) return;
    answered = true;
    if (placed) page.board.show(withMark(now.view, placed.cell, placed.mark));
    const { shape, moves, marks } = now.view;
    try {
      const any = moveName(shape, Number(Object.keys(moves)[0]), marks[0]);
      const answer = await ask(`/api/puzzles/${now.number}`, { move: move ?? any }),
        right = move !== null && answer.right;
      kept.set("streak", String(right ? Number(kept.get("streak") ?? 0) + 1 : 0));
      if (right) kept.set("solved", [...new Set([...solved(), now.number])].join(","));
      task.textContent = right ? "Solved" : "Not solved";
      const was = answer.solutions.join(" or ");
      page.say(
        right
          ? `Right: ${move}`
          : move === null
            ? `The solution is ${was}`
            : `${move} is wrong. The solution is ${was}`,
      );
      tick(right);
      playOut(answer.record);
    } catch (error) {
      answered = false;
      page.board.show(now.view);
      toast(error.message);
    }
  }

  /** The solution on the board, move by move. */
  function playOut(found) {
    record = found;
    const moves = movesOf(record);
    page.board.set({ mode: "read" });
    page.list.set(moves);
    page.steps.count(moves.length);
    page.steps.go(1);
    showChoices();
    analyse.href = `/analyse?${new URLSearchParams({ game: now.view.shape.game, position: now.position })}`;
    page.steps.play();
    on.focus({ preventScroll: true });
  }

  function drawSolution(n) {
    page.board.show(viewAt(record, n));
    page.list.mark(n);
  }
}

const solved = () => (kept.get("solved") ?? "").split(",").filter(Boolean).map(Number);
