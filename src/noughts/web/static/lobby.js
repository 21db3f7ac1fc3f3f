// The page to choose a game and an opponent.

import { create } from "./board.js";
import { button, kept, plural } from "./parts.js";
import { el } from "./shapes.js";
import { ask, choice, enter, head, ownGames, toast } from "./kit.js";

const clockWords = (/** @type {number} */ seconds) => `${plural(seconds / 60, "minute")} each`;

export async function show(main) {
  const [games, me] = await Promise.all([ask("/api/games"), ask("/api/me")]);
  const wanted = new URLSearchParams(location.search);
  // The command line chose these.
  for (const name of ["opponent", "seat"]) if (wanted.get(name)) kept.set(name, wanted.get(name));
  let chosen = games.find((game) => game.name === (wanted.get("game") ?? kept.get("game"))) ?? games[0];

  const opponent = choice("Opponent", []);
  const seat = choice(
    "You move",
    [
      ["0", "first"],
      ["1", "second"],
      ["?", "at random"],
    ],
    { value: kept.get("seat") ?? "0" },
  );
  const clock = choice("Time", [], { value: "" });
  const name = el("input", { type: "text", maxlength: 40, autocomplete: "nickname", value: kept.get("name") ?? "" });
  const named = el("label", { class: "choice" }, el("span", {}, "Your name"), name);
  opponent.select.addEventListener("change", askName);
  const start = button("Play", begin, { look: "main large" });
  const setup = el(
    "form",
    {
      class: "card setup",
      "aria-label": "New game",
      onsubmit(event) {
        event.preventDefault();
        begin();
      },
    },
    el("h2", {}, ""),
    el("p", { class: "soft" }, ""),
    opponent.element,
    seat.element,
    clock.element,
    named,
    start,
    el("a", { class: "btn", href: "#" }, "The rules in pictures"),
  );
  if (games[0].uploads) setup.append(sendBot());
  const cards = games.map((game) => card(game, () => choose(game)));
  const list = el(
    "div",
    { class: "games", role: "radiogroup", "aria-label": "Game" },
    ...cards.map(({ node }) => node),
  );
  const own = gameRows("own", "Your games"),
    offers = gameRows("open", "Open challenges");
  main.append(
    el(
      "div",
      { class: "page lobby" },
      head("Play", "Games of the tic-tac-toe family, against the computer or another person."),
      list,
      setup,
      el("div", { class: "stack lists" }, offers.element, own.element),
    ),
  );
  showOwn(own);
  watchChallenges(offers);
  for (const { draw } of cards) draw();
  choose(chosen);

  function choose(game) {
    chosen = game;
    kept.set("game", game.name);
    cards.forEach(({ node }, i) => {
      node.setAttribute("aria-checked", String(games[i] === game));
      node.tabIndex = games[i] === game ? 0 : -1;
    });
    setup.querySelector("h2").textContent = game.title;
    setup.querySelector("p").textContent = game.summary;
    setup.querySelector("a").href = `/learn?game=${game.name}`;
    const people = [
      ["link", "A person with a link"],
      ["open", "Anyone (open challenge)"],
      ["screen", "A person, on this screen"],
    ];
    opponent.set(
      [...game.opponents.map(({ name, title }) => [name, title]), ...people],
      kept.get("opponent") ?? "alphabeta:level=3",
    );
    if (!opponent.select.value) opponent.select.value = "alphabeta:level=3";
    clock.set(
      [["", "No clock"], ...game.clocks.filter(Boolean).map((each) => [each, clockWords(each)])],
      kept.get("clock") ?? "",
    );
    askName();
  }

  /** The name is shown to the other person; the server knows members' names. */
  function askName() {
    named.hidden = me.name !== "" || !["link", "open"].includes(opponent.value());
  }

  /** A bot file to play against, if the server accepts bots. */
  function sendBot() {
    const file = el("input", {
      type: "file",
      accept: ".py",
      id: "bot",
      onchange: async () => {
        try {
          const made = await ask("/api/bots", {
            name: file.files[0].name.replace(/\.py$/, "").slice(0, 40),
            source: await file.files[0].text(),
          });
          opponent.select.append(el("option", { value: made.opponent, selected: true }, file.files[0].name));
        } catch (error) {
          toast(error.message);
        }
      },
    });
    return el("label", { class: "choice", for: "bot" }, el("span", {}, "Play against a bot file"), file);
  }

  async function begin() {
    const drawn = seat.value() === "?" ? Math.round(Math.random()) : Number(seat.value());
    for (const [key, part] of Object.entries({ opponent, seat, clock })) kept.set(key, part.value());
    if (!named.hidden) kept.set("name", name.value.trim());
    try {
      const made = await ask("/api/play", {
        game: chosen.name,
        opponent: opponent.value(),
        seat: drawn,
        clock: clock.value() ? Number(clock.value()) : null,
        name: kept.get("name") ?? "",
      });
      if (made.guest) kept.set(`guest-${made.id}`, made.guest);
      enter(made);
    } catch (error) {
      toast(error.message);
    }
  }
}

const OWN_SHOWN = 6,
  OFTEN = 5000; // ms between two looks at the open challenges

/** Games that are listed below the others: {element, set(rows)}; a row is [title, words, button]. */
function gameRows(look, title) {
  const list = el("ul", { class: "card rows" }),
    element = el("section", { class: look, hidden: true }, el("h2", {}, title), list);
  const row = ([name, words, action]) =>
    el("li", {}, el("span", { class: "title" }, name), el("span", { class: "soft small" }, words), action);
  return {
    element,
    set(rows) {
      element.hidden = !rows.length;
      list.replaceChildren(...rows.map(row));
    },
  };
}

/** The latest games of this browser, and the player to move in each; drops games that no longer exist. */
async function showOwn(own) {
  const found = await Promise.all(
    ownGames
      .all()
      .slice(0, OWN_SHOWN)
      .map(async (id) => {
        const answer = await fetch(`/api/play/${id}?${new URLSearchParams({ key: kept.get(`key-${id}`) ?? "" })}`);
        if (answer.status === 404) ownGames.drop(id);
        return answer.ok ? answer.json() : null;
      }),
  ).catch(() => []);
  own.set(found.filter((game) => game?.you.length).map(ownRow));
}

function ownRow(game) {
  const { view, you, over, result, seats, moves, together } = game,
    other = seats[1 - you[0]].title;
  const mine = you.includes(view.player) && !together;
  const state = over ? result : mine ? "Your move" : `${seats[view.player].title} is to move`;
  return [
    `${view.shape.title}${together ? "" : ` against ${other}`}`,
    `${state}, ${plural(moves.length, "move")}`,
    el("a", { class: `btn ${over ? "" : "main"}`, href: `/game/${game.id}` }, over ? "Open" : "Resume"),
  ];
}

/** The open challenges of others, refreshed while the page is visible. */
async function watchChallenges(offers) {
  if (!offers.element.isConnected) return;
  if (!document.hidden) {
    const mine = ownGames.all(),
      found = await ask("/api/challenges").catch(() => []);
    offers.set(found.filter(({ id }) => !mine.includes(id)).map(challengeRow));
  }
  setTimeout(() => watchChallenges(offers), OFTEN);
}

function challengeRow({ id, title, name, seat, clock }) {
  const how = `You move ${seat ? "second" : "first"}, ${clock ? clockWords(clock) : "no clock"}`;
  const accept = button("Accept", async () => {
    try {
      enter(await ask(`/api/challenges/${id}`, {}));
    } catch (error) {
      toast(error.message);
    }
  });
  return [`${title}, against ${name}`, how, accept];
}

/** A game to choose, with a small empty board. */
function card(game, choose) {
  const picture = el("span", { class: "picture" });
  const node = el(
    "button",
    { type: "button", class: "card pick", role: "radio", "aria-checked": "false", onclick: choose },
    picture,
    el("span", { class: "title" }, game.title.replace(" Tic-Tac-Toe", "")),
  );
  node.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = [...node.parentNode.children],
      next = all[(all.indexOf(node) + step + all.length) % all.length];
    next.click();
    next.focus();
  });
  const draw = () => {
    create(picture, { mode: "picture", numbers: false }).show({
      shape: game.shape,
      ...game.sample,
      open: [],
      player: null,
      last: null,
      lines: [],
      status: "",
    });
  };
  return { node, draw };
}
