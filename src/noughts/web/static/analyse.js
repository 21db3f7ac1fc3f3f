// Analysis: values of moves while the engine thinks, variations to try and comment on, positions to paste and
// share. The address contains the position, and after # the whole tree, which no server sees.

import { movesOf } from "./frames.js";
import { button, capital, verdict } from "./parts.js";
import { el, moveName } from "./shapes.js";
import { ask, choice, copy, live, shortcut, toast } from "./kit.js";
import { bestArrow, gamePage } from "./gamepage.js";
import { toLookAt, unplayable, withMark } from "./playing.js";
import { listed, Tree } from "./tree.js";

const SECONDS = [2, 10, 30];
const ENDS_ASKED = 20; // lines of a tree from an address whose movers are asked for

export async function show(main) {
  const games = await ask("/api/games"),
    wanted = new URLSearchParams(location.search);
  let game = games.find(({ name }) => name === wanted.get("game")) ?? games[0],
    start = wanted.get("position"),
    tree = Tree.parse(new URLSearchParams(location.hash.slice(1)).get("tree") ?? ""),
    /** @type {ReturnType<typeof gamePage>} */ page,
    /** @type {any} */ shape = null;
  let number = 0,
    seconds = SECONDS[0],
    lines = 3,
    threats = false,
    typed = false, // whether the position field has unsaved input, which no response may overwrite
    /** The recorded game that the moves are of; its review has the values. @type {Record<string, string> | null} */
    source = null;
  goTo(wanted);

  const best = el("ol", { class: "lines", "aria-label": "Best lines" });
  const longer = button("Think longer", () => think(SECONDS[Math.min(2, SECONDS.indexOf(seconds) + 1)]));
  const threatButton = button("Threats", () => showThreats(!threats), { "aria-pressed": "false" });
  const comment = el("input", {
    type: "text",
    maxlength: 400,
    "aria-label": "Comment on this position",
    placeholder: "Comment on this position",
    onchange() {
      tree.write(tree.now, comment.value);
      draw();
    },
  });
  const promote = button("Main line", makeMain, { "aria-label": "Make main line" });
  const remove = button("Delete", deleteHere, { "aria-label": "Delete from here" });
  const field = el("input", {
    type: "text",
    maxlength: 4096,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": "Position",
    oninput() {
      typed = true;
    },
  });
  const form = el("form", { class: "ask" }, field, el("button", { class: "btn" }, "Set"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim()) open(game.name, field.value.trim());
  });
  const which = choice(
    "Game",
    games.map(({ name, title }) => [name, title]),
    { value: game.name, changed: (name) => open(name) },
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

  const link = live("/live/analysis", {
    opened: () => think(),
    received(message) {
      if (message.number !== number) return;
      if (message.type === "position") arrived(message);
      else if (message.type === "lines") found(message);
      else refused(message.error);
    },
  });
  addEventListener("popstate", () => {
    goTo(new URLSearchParams(location.search));
    arrive("replaceState");
  });
  shortcut("t", () => showThreats(!threats));
  if (wanted.get("kept") && wanted.get("number")) reviewed();
  learnMovers();

  // ---- The requested position.

  /** Goes to the position of an address, whose moves become a line of the tree if they are not yet. */
  function goTo(query) {
    tree.go(tree.root);
    for (const text of (query.get("play") ?? "").split(/\s+/).filter(Boolean)) tree.play(text);
  }

  /** Another game or start, without the moves so far. */
  function open(name, position = null) {
    game = games.find((each) => each.name === name);
    which.select.value = name;
    start = position;
    tree = new Tree();
    source = null;
    typed = false;
    history.pushState(null, "", address());
    think();
  }

  function think(more = SECONDS[0]) {
    seconds = more;
    longer.disabled = seconds === SECONDS.at(-1);
    const play = tree.path().map(({ text }) => text);
    link.send({
      type: "analyse",
      number: ++number,
      game: game.name,
      position: start,
      play: play.join(" "),
      seconds,
      lines,
    });
  }

  /** Handles moves, positions or games that the rules refuse: the last valid position stays. */
  function refused(error) {
    const known = tree.path().findLast(({ found: { view } }) => view) ?? tree.root;
    if (known !== tree.now && known.found.view) {
      const wrong = tree.path()[tree.path(known).length];
      tree.go(known);
      tree.remove(wrong);
      arrive("replaceState");
    } else if (start !== null || tree.now !== tree.root) {
      const text = field.value;
      open(game.name);
      typed = text !== "";
      field.value = text;
    }
    toast(capital(error));
  }

  /** The server's data on the displayed position and the moves to it. */
  function arrived({ view, record, position, value, threats: cells }) {
    const { now } = tree;
    const moves = movesOf(record);
    tree.path().forEach((move, i) => {
      move.by = moves[i].by;
      move.text = moves[i].text;
    });
    now.found = { ...now.found, view, position, threats: cells };
    if (value !== null) Object.assign(now, { value, found: { ...now.found, words: view.status } });
    if (!page || shape.title !== view.shape.title) build(view.shape);
    draw();
  }

  function build(answer) {
    page?.destroy();
    shape = answer;
    page = gamePage(main, shape, {
      title: `Analyse ${shape.title}`,
      label: "Analysis",
      on: { move: played, refused: (cell) => toast(pointless(cell)) },
      go: (key) => visit(tree.all[key]),
      step: (n) => visit(n ? tree.line()[n - 1] : tree.root),
      evaluated: true,
      panel: ({ verdict: line, list, steps, curve }) => [
        el("div", { class: "row" }, which.element, many.element),
        line,
        best,
        list,
        el("div", { class: "row notes" }, comment, promote, remove),
        curve,
        steps,
        el(
          "div",
          { class: "row choices" },
          longer,
          threatButton,
          button("Share", () => copy(location.origin + address(), "The address")),
          button("Start again", () => open(game.name)),
        ),
        form,
      ],
    });
  }

  // ---- Navigation.

  function visit(move) {
    if (!move || move === tree.now) return;
    tree.go(move);
    arrive();
  }

  function played({ cell, mark }) {
    const { view } = tree.now.found;
    tree.play(moveName(shape, cell, mark));
    page.board.show(withMark(view, cell, mark));
    arrive();
  }

  /** Shows another position and updates the address, so that Back and Forward go through positions. */
  function arrive(how = "pushState") {
    typed = false;
    history[how](null, "", address());
    draw();
    think();
  }

  function makeMain() {
    tree.promote(tree.now);
    draw();
  }

  function deleteHere() {
    tree.remove(tree.now);
    arrive();
  }

  const pointless = (cell) => {
    const { view } = tree.now.found;
    if (!view?.moves) return "Waiting for the server.";
    if (view.player === null) return "The game is over.";
    return unplayable(view, cell);
  };

  function address() {
    const query = new URLSearchParams({ game: game.name });
    if (start) query.set("position", start);
    const moves = tree.path().map(({ text }) => text);
    if (moves.length) query.set("play", moves.join(" "));
    if (source) for (const [name, value] of Object.entries(source)) query.set(name, value);
    const whole = tree.rich || tree.line().length > moves.length;
    return `/analyse?${query}${whole ? `#${new URLSearchParams({ tree: String(tree) })}` : ""}`;
  }

  /** Asks the server for the players of moves from the address; deletes illegal moves. */
  async function learnMovers() {
    const unknown = tree.all.filter((move) => move.parent && !move.children.length && move.by === null);
    for (const end of unknown.slice(0, ENDS_ASKED)) {
      const line = tree.path(end),
        play = line.map(({ text }) => text).join(" ");
      try {
        const { movers } = await ask("/api/positions", { game: game.name, position: start, play });
        line.forEach((move, i) => {
          move.by = movers[i];
        });
      } catch {
        if (!tree.path().includes(end)) tree.remove(end);
      }
    }
    draw();
  }

  // ---- A recorded game: the whole line, with the values of its review.

  async function reviewed() {
    const place = Object.fromEntries([...wanted].filter(([key]) => ["kept", "number", "file", "name"].includes(key))),
      { kept, number: id, file, name } = place,
      query = file === undefined ? "" : `?${new URLSearchParams({ file, name })}`;
    try {
      const { record } = await ask(`/api/replays/${kept}/${encodeURIComponent(id)}${query}`);
      let move = tree.root;
      const line = movesOf(record).map(({ by, text }) => {
        move = tree.add(text, move);
        move.by = by;
        return move;
      });
      tree.go(tree.now);
      tree.tip = line.includes(tree.now) || tree.now === tree.root ? (line.at(-1) ?? tree.root) : tree.tip;
      source = place;
      const socket = live(`/live/review/${kept}/${encodeURIComponent(id)}${query}`, {
        received(message) {
          if (message.type !== "review") return socket.close();
          [tree.root, ...line].forEach((each, i) => {
            each.value ??= message.values[i] / 1000;
          });
          draw();
        },
      });
      draw();
    } catch (error) {
      toast(error.message);
    }
  }

  // ---- Display.

  function found(message) {
    const { now } = tree;
    now.value = message.value;
    now.found = {
      ...now.found,
      words: message.words,
      hints: message.lines,
      lines: message.lines.slice(0, message.shown),
      effort: message.nodes ? `depth ${message.depth}, ${amount(message.nodes)} positions` : "exact",
    };
    draw();
  }

  function showThreats(on) {
    threats = on;
    threatButton.setAttribute("aria-pressed", String(threats));
    draw();
  }

  function draw() {
    if (!page) return;
    const { now } = tree,
      { view, hints = [], words = null } = now.found;
    if (view) {
      const seen = new Set(),
        once = hints.filter(({ cell }) => !seen.has(cell) && seen.add(cell));
      const risky = threats ? (now.found.threats ?? []) : [];
      page.board.show({
        ...view,
        hints: once,
        arrows: bestArrow(view, hints[0]?.cell),
        threats: risky,
      });
    }
    page.say(now.value === null ? "…" : verdict(shape, now.value, words), now.found.effort ?? "");
    page.bar.set(now.value, words);
    best.replaceChildren(...(now.found.lines ?? []).map(bestLine));
    if (!typed) field.value = now.found.position ?? "";
    if (document.activeElement !== comment) comment.value = now.comment;
    comment.hidden = promote.hidden = remove.hidden = now === tree.root;
    if (tree.path().every((move) => move.parent?.children[0] === move)) promote.hidden = true;
    page.curve.element.classList.toggle("unknown", tree.line().filter(({ value }) => value !== null).length < 2);
    showMoves();
  }

  function bestLine({ text, line, words, best: first }) {
    const step = (move, i) =>
      el(
        "button",
        {
          type: "button",
          class: "move",
          "aria-label": `${move}, ${words}`,
          onclick: () => follow(line.slice(0, i + 1)),
        },
        move,
      );
    return el(
      "li",
      { class: first ? "best" : "" },
      el("span", { class: "worth", title: words }, text),
      el("span", { class: "row" }, ...line.map(step)),
    );
  }

  /** Plays several moves of a line; only the last position is analysed. */
  function follow(texts) {
    const { view } = tree.now.found;
    for (const text of texts) tree.play(text);
    if (view) page.board.show(toLookAt(view));
    arrive();
  }

  function showMoves() {
    const line = tree.line(),
      at = tree.path().length;
    page.list.set(listed(tree));
    page.list.mark(tree.now.key);
    page.steps.count(line.length);
    page.steps.go(at);
    page.curve.set([tree.root, ...line].map(({ value }) => value));
    page.curve.mark(at);
    const here = address();
    if (location.pathname + location.search + location.hash !== here) history.replaceState(null, "", here);
  }
}

const amount = (n) =>
  n >= 1e6 ? `${(n / 1e6).toFixed(1)} million` : n >= 1e3 ? `${Math.round(n / 1e3)} thousand` : String(n);
