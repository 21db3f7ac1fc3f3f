// Replay: any game of a tournament file that the operator opened, a replay that is sent, or a game of this page.

import { create } from "./board.js";
import { moveAt, moverOf, movesOf, viewAt } from "./frames.js";
import { button, clockText, curve, evaluationBar, moveList, nameOf, sign, stepper, verdict } from "./parts.js";
import { el, toneClass } from "./shapes.js";
import { ask, live, toast } from "./kit.js";

export async function show(main) {
  const wanted = new URLSearchParams(location.search),
    kept = wanted.get("kept");
  if (kept && wanted.get("number"))
    return game(main, kept, wanted.get("number"), wanted.get("file"), wanted.get("name"));
  return choose(main, wanted);
}

// ---- Choosing a game.

async function choose(main, wanted) {
  const tournaments = await ask("/api/tournaments");
  const file = el("input", {
    type: "file",
    accept: ".json,.log,.txt,application/json,text/plain",
    id: "file",
    onchange: () => file.files[0] && send(file.files[0]),
  });
  const drop = el(
    "label",
    { class: "card drop", for: "file" },
    el("b", {}, "Open a replay"),
    el(
      "span",
      { class: "soft" },
      "a file of ",
      el("code", {}, "noughts match --log"),
      ", of this page, or a log of the course",
    ),
    file,
  );
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) send(event.dataTransfer.files[0]);
  });
  const list = el("div", { class: "stack" });
  main.append(
    el(
      "div",
      { class: "page" },
      el(
        "header",
        {},
        el("h1", {}, "Replay"),
        el("p", { class: "soft" }, "Step through a game, see where it was decided, take it along."),
      ),
      drop,
      list,
    ),
  );
  if (!tournaments.length)
    list.append(
      el(
        "p",
        { class: "soft" },
        "No tournament is open here. ",
        el("code", {}, "noughts serve --file class.noughts"),
        " opens one.",
      ),
    );
  const open =
    tournaments.find((one) => String(one.file) === wanted.get("file") && one.name === wanted.get("name")) ??
    tournaments.find(({ file: n }) => n >= 0);
  for (const one of tournaments.filter(({ file: n }) => n >= 0))
    list.append(await tournament(one, one === open, wanted.get("of")));
}

async function tournament(one, isOpen, of) {
  const body = el("tbody"),
    more = button("More games", () => load());
  const box = el(
    "details",
    { class: "card fold", open: isOpen },
    el("summary", {}, el("b", {}, one.name), el("span", { class: "soft" }, `${one.title}, ${one.games} games`)),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": `Games of ${one.name}` },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ...["Game", "Stage", "First", "Second", "Result", "Moves"].map((head, i) =>
              el("th", { class: i > 1 && i < 5 ? "name" : "" }, head),
            ),
          ),
        ),
        body,
      ),
    ),
    more,
  );
  let after = -1;
  async function load() {
    const query = new URLSearchParams({ file: one.file, name: one.name, after });
    if (of && isOpen) query.set("of", of);
    const games = await ask(`/api/tournaments/games?${query}`);
    after = games.at(-1)?.number ?? after;
    more.hidden = games.length < 100;
    body.append(...games.map((game) => row(one, game)));
  }
  let begun = false;
  const first = async () => {
    if (!box.open || begun) return;
    begun = true;
    await load().catch((error) => toast(error.message));
  };
  box.addEventListener("toggle", first); // also told of one that is open from the beginning
  await first();
  return box;
}

function row(one, game) {
  const query = new URLSearchParams({ kept: "file", number: game.number, file: one.file, name: one.name });
  const winner = game.winner === null ? ["no line"] : [nameOf(game.winner === 0 ? game.first : game.second), " wins"];
  return el(
    "tr",
    {},
    el("td", {}, el("a", { href: `/replay?${query}` }, String(game.number))),
    el("td", {}, `${game.stage} ${game.round}`),
    el("td", { class: "name" }, nameOf(game.first)),
    el("td", { class: "name" }, nameOf(game.second)),
    el(
      "td",
      { class: "name plain" },
      ...winner,
      game.fault ? `: forfeit, ${game.reason}` : `, ${game.first_points} : ${game.second_points}`,
    ),
    el("td", {}, String(game.plies)),
  );
}

async function send(file) {
  if (file.size > 4 << 20) return toast("A replay is at most 4 MB.");
  try {
    const answer = await fetch("/api/replays", { method: "POST", body: await file.text() }),
      told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    location.assign(`/replay?kept=upload&number=${told.id}`);
  } catch (error) {
    toast(error.message);
  }
  return null;
}

// ---- One game.

async function game(main, kept, number, file, name) {
  const query = file === null ? "" : `?${new URLSearchParams({ file, name })}`;
  const told = await ask(`/api/replays/${kept}/${encodeURIComponent(number)}${query}`);
  const { record } = told,
    { shape } = record,
    count = movesOf(record);
  let values = Array(count + 1).fill(null),
    mistakes = new Set();
  document.title = `${told.players.join(" - ")}: noughts`;
  const stage = el("div", { class: "card stage" }),
    line = el("p", { class: "told" }),
    at = el("span", { class: "soft small" });
  const said = el("pre", { class: "said", tabindex: 0, "aria-label": "What the player printed" });
  const fault = told.fault
    ? el(
        "p",
        { class: "fault" },
        el("b", {}, `Forfeit (${told.fault.kind}). `),
        `${told.players[told.fault.player]} ${told.fault.text}`,
      )
    : null;
  const strips = [1, 0].map((player) => ({ player, node: el("div", { class: `player ${player ? "them" : "us"}` }) }));
  const bar = evaluationBar(shape),
    curved = curve(shape, (n) => steps.go(n)),
    list = moveList(shape, (n) => steps.go(n));
  list.element.classList.add("strip");
  const steps = stepper({ count, show: draw, speed: 2 });
  const svg = el("a", { href: "#", download: "" }, "This position (SVG)");
  const link = (kind, text) =>
    el("a", { href: `/api/replays/${kept}/${encodeURIComponent(number)}/${kind}${query}`, download: "" }, text);
  const files = el(
    "details",
    { class: "files" },
    el("summary", { class: "btn" }, "Save"),
    el(
      "ul",
      { class: "card" },
      ...[link("json", "Replay file"), link("gif", "Moving picture (GIF)"), svg, link("log", "Course log")].map(
        (each) => el("li", {}, each),
      ),
    ),
  );
  const analyse = el("a", { class: "btn", href: "#" }, "Analyse");
  const panel = el(
    "section",
    { class: "card panel", "aria-label": "The game" },
    el("div", { class: "verdict" }, line, at),
    el("p", { class: "small result" }, told.result),
    fault,
    curved.element,
    list.element,
    said,
    steps.element,
    el(
      "div",
      { class: "row choices" },
      analyse,
      files,
      el(
        "a",
        { class: "btn", href: kept === "file" ? `/replay?${new URLSearchParams({ file, name })}` : "/replay" },
        "Other games",
      ),
    ),
  );
  main.append(
    el("h1", { class: "hidden" }, told.players.join(" against ")),
    el(
      "div",
      { class: `play ${shape.boards > 1 ? "pair" : shape.nested ? "one" : "three"}` },
      bar.element,
      strips[0].node,
      stage,
      panel,
      strips[1].node,
    ),
  );
  const board = create(stage, { mode: "read" });
  const builtIn = !told.rules;
  showMoves();
  curved.set(values);
  steps.go(Math.min(count, Number(new URLSearchParams(location.search).get("at") ?? 0)));

  const socket = live(`/live/review/${kept}/${encodeURIComponent(number)}${query}`, {
    told(message) {
      if (message.type === "done") return socket.close();
      values = message.values.map((value) => value / 1000);
      mistakes = new Set(message.mistakes.map(([ply]) => ply + 1));
      showMoves();
      return draw(steps.now());
    },
  });

  function mistake(n) {
    return mistakes.has(n);
  }

  function showMoves() {
    const all = Array.from({ length: count }, (_, i) => i + 1);
    list.set(
      all.map((n) => ({
        by: moverOf(record, n),
        text: moveAt(record, n),
        bad: mistake(n),
        note: mistake(n) ? "mistake" : "",
      })),
    );
    curved.set(
      values,
      all.filter(mistake).map((n) => ({ n })),
    );
  }

  function draw(n) {
    const view = viewAt(record, n),
      last = n === count;
    const flags = n && mistake(n) ? [{ cell: view.last, text: "?", words: "mistake" }] : [];
    board.show(
      last && told.fault ? { ...view, player: null, open: [], flags, status: told.result } : { ...view, flags },
    );
    list.mark(n);
    curved.mark(n);
    bar.set(values[n]);
    line.textContent =
      values[n] === null ? (n ? `After ${moveAt(record, n)}` : "The start") : verdict(shape, values[n]);
    at.textContent = `Move ${n} of ${count}`;
    said.textContent = told.prints[n] ?? (last ? "" : (told.prints[n - 1] ?? ""));
    said.hidden = !Object.keys(told.prints).length;
    svg.href = `/api/replays/${kept}/${encodeURIComponent(number)}/svg${query ? `${query}&` : "?"}at=${n}`;
    const play = Array.from({ length: n }, (_, i) => moveAt(record, i + 1)).join(" ");
    analyse.href = `/analyse?${new URLSearchParams({ game: shape.game, play })}`;
    analyse.hidden = !builtIn;
    for (const { player, node } of strips) strip(node, player, view, n);
  }

  /** A player with the time used so far; who forfeits is marked as such at the end. */
  function strip(node, player, view, n) {
    const used = told.seconds
      .slice(0, n)
      .reduce((sum, taken, i) => sum + (moverOf(record, i + 1) === player ? taken : 0), 0);
    const owned = [...view.owners].filter((owner) => owner === shape.names[player]).length;
    const turn = view.player === player ? "turn" : "";
    node.className = `player ${player ? "them" : "us"} ${turn} ${toneClass(shape.seats[player])}`;
    node.replaceChildren(
      sign(shape, player),
      el("span", { class: "name" }, told.players[player]),
      n === count && told.fault?.player === player ? el("span", { class: "lost" }, "forfeit") : "",
      shape.nested ? el("span", { class: "won" }, `${owned} ${owned === 1 ? "block" : "blocks"}`) : "",
      el(
        "span",
        { class: "clock", "aria-label": `${told.players[player]}, time used` },
        used < 10 ? `${used.toFixed(2)} s` : clockText(used),
      ),
    );
  }
}
