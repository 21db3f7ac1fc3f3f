// Replay and review: a game from the operator's tournament files, an uploaded replay, or a game of this page.

import { movesOf, viewAt } from "./frames.js";
import { button, kept as choices, nameOf, plainTable, rowsOf, scrollBox, verdict } from "./parts.js";
import { mistakeList, mistakesOf, reviewedMoves, signsOf } from "./review.js";
import { el, range } from "./shapes.js";
import { ask, dropZone, enter, head, live, nothingHere, toast } from "./kit.js";
import { clockLine } from "./deadline.js";
import { bestArrow, clockOf, gamePage, saveMenu, usedText } from "./gamepage.js";

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
  const drop = dropZone(
    {
      id: "file",
      accept: ".json,.log,.txt,application/json,text/plain",
      title: "Open a replay",
      opened: (file) => send(file).catch((error) => toast(error.message)),
    },
    "a file of ",
    el("code", {}, "noughts match --log"),
    ", a game saved on this page, or a log of the course’s evaluator",
  );
  const list = el("div", { class: "stack" });
  main.append(
    el(
      "div",
      { class: "page" },
      head("Replay", "Step through a game, see where it was decided, and download it."),
      drop,
      list,
    ),
  );
  if (!tournaments.length)
    list.append(
      el(
        "p",
        { class: "soft" },
        "This server has no tournament file. ",
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
  const address = (game) => new URLSearchParams({ kept: "file", number: game.number, file: one.file, name: one.name });
  const columns = [
    ["Game", (game) => el("a", { href: `/replay?${address(game)}` }, String(game.number))],
    ["Stage", (game) => `${game.stage} ${game.round}`],
    ["First", (game) => nameOf(game.first), "name"],
    ["Second", (game) => nameOf(game.second), "name"],
    ["Result", resultOf, "name plain"],
    ["Moves", (game) => game.plies],
  ];
  const games = plainTable(columns, []),
    more = button("More games", () => load());
  const box = el(
    "details",
    { class: "card fold", open: isOpen },
    el("summary", {}, el("b", {}, one.name), el("span", { class: "soft" }, `${one.title}, ${one.games} games`)),
    scrollBox(`Games of ${one.name}`, "", games),
    more,
  );
  let after = -1;
  async function load() {
    const query = new URLSearchParams({ file: one.file, name: one.name, after: String(after) });
    if (of && isOpen) query.set("of", of);
    const found = await ask(`/api/tournaments/games?${query}`);
    after = found.at(-1)?.number ?? after;
    more.hidden = found.length < 100;
    games.tBodies[0].append(...rowsOf(columns, found));
  }
  let begun = false;
  const first = async () => {
    if (!box.open || begun) return;
    begun = true;
    await load().catch((error) => toast(error.message));
  };
  box.addEventListener("toggle", first); // also called if it is open from the beginning
  await first();
  return box;
}

function resultOf({ winner, first, second, fault, reason, first_points: ours, second_points: theirs }) {
  const who = winner === null ? ["no line"] : [nameOf(winner === 0 ? first : second), " wins"];
  return [...who, fault ? `: forfeit, ${reason}` : `, ${ours} : ${theirs}`];
}

async function send(file) {
  if (file.size > 4 << 20) throw new Error("A replay must have at most 4 MB.");
  const reply = await ask("/api/replays", file);
  location.assign(`/replay?kept=upload&number=${reply.id}`);
}

// ---- One game.

async function game(main, kept, number, file, name) {
  const query = file === null ? "" : `?${new URLSearchParams({ file, name })}`,
    address = `/api/replays/${kept}/${encodeURIComponent(number)}`;
  let replay;
  try {
    replay = await ask(`${address}${query}`);
  } catch (error) {
    return nothingHere(main, "Game not found", `${error.message}.`);
  }
  const { shape } = replay.record,
    moves = movesOf(replay.record),
    count = moves.length,
    texts = moves.map(({ text }) => text);
  /** @type {any[]} */
  let mistakes = [];
  let record = replay.record,
    /** @type {any} */ slips = null;
  const value = (n) => (record.values ? record.values[n] / 1000 : null);
  const save = saveMenu(
    (kind, n) => `${address}/${kind}${query}${kind === "svg" ? `${query ? "&" : "?"}at=${n}` : ""}`,
  );
  const prints = el("pre", { class: "said", tabindex: 0, "aria-label": "The player’s prints" });
  const analyse = el("a", { class: "btn", href: "#", hidden: !replay.built_in }, "Analyse");
  const review = el("section", { class: "review", "aria-label": "Review" }, el("p", { class: "soft" }, "Reviewing …"));
  const fault = replay.fault
    ? el(
        "p",
        { class: "fault" },
        el("b", {}, `Forfeit (${replay.fault.kind}). `),
        `${replay.players[replay.fault.player]} ${replay.fault.text}`,
      )
    : null;
  const ladder = name === "ladder" && document.querySelector('nav a[href="/ladder"]') ? await ask("/api/ladder") : null,
    others = ladder ? "/ladder" : kept === "file" ? `/replay?${new URLSearchParams({ file, name })}` : "/replay";
  const page = gamePage(main, shape, {
    title: replay.players.join(" against "),
    label: "The game",
    mode: "read",
    step: draw,
    count,
    speed: 2,
    evaluated: true,
    sides: true,
    panel: ({ verdict: line, list, steps, curve }) => [
      line,
      el("p", { class: "small result" }, replay.result),
      fault,
      review,
      curve,
      list,
      prints,
      steps,
      el(
        "div",
        { class: "row choices" },
        analyse,
        save.element,
        el("a", { class: "btn", href: others }, ladder ? "Ladder" : "Other games"),
      ),
    ],
  });
  if (ladder) main.append(el("div", { class: "page" }, clockLine(ladder).element));
  showMoves();
  page.steps.go(Math.min(count, Number(new URLSearchParams(location.search).get("at") ?? 0)));

  // Only members get reviews.
  if (ladder?.you.audience === "public") {
    for (const part of [review, page.curve.element, page.bar.element]) part.remove();
    return null;
  }
  const socket = live(`/live/review/${kept}/${encodeURIComponent(number)}${query}`, {
    received(message) {
      if (message.type === "review") found(message);
      else {
        socket.close();
        if (message.error) review.replaceChildren(el("p", {}, message.error));
        else if (!record.values) review.remove();
      }
    },
    lost: (why) => review.replaceChildren(el("p", {}, why)),
  });

  /** The server's review: accuracy of both players, and the mistakes with the better moves. */
  function found(message) {
    record = { ...replay.record, ...message, result: replay.points };
    mistakes = mistakesOf(record);
    slips = mistakeList(record, mistakes, (n) => page.steps.go(n), replay.built_in ? tryAgain : null);
    const accuracy = [0, 1].map((player) => {
      const share = message.accuracy[player];
      const text = share === null ? "no choices" : `${Math.round(100 * share)}%`;
      return el("span", {}, replay.players[player], " ", el("b", {}, text));
    });
    review.replaceChildren(
      el("h2", {}, "Review"),
      el("p", { class: "accuracy" }, el("span", { class: "soft" }, "Accuracy"), ...accuracy),
      slips.element ?? el("p", {}, "No mistakes found."),
    );
    showMoves();
    draw(page.steps.now());
  }

  function showMoves() {
    page.list.set(reviewedMoves(record, mistakes));
    page.curve.set(
      range(count + 1).map(value),
      mistakes.map(({ n }) => n),
    );
  }

  function draw(n) {
    const view = { ...viewAt(record, n) },
      last = n === count,
      signs = signsOf(mistakes, n, view.last);
    Object.assign(view, signs, { arrows: signs.hints.flatMap(({ cell }) => bestArrow(view, cell)) });
    if (last && replay.fault) Object.assign(view, { player: null, open: [], status: replay.result });
    page.board.show(view);
    page.list.mark(n);
    page.curve.mark(n);
    page.bar.set(value(n));
    slips?.mark(n);
    const words = n ? `After ${texts[n - 1]}` : "The start";
    page.say(value(n) === null ? words : verdict(shape, value(n)), `Move ${n} of ${count}`);
    prints.textContent = replay.prints[n] ?? (last ? "" : (replay.prints[n - 1] ?? ""));
    prints.hidden = !Object.keys(replay.prints).length;
    save.at(n);
    const line = { game: shape.game, play: texts.slice(0, n).join(" "), kept, number };
    analyse.href = `/analyse?${new URLSearchParams(file === null ? line : { ...line, file, name })}`;
    page.showSides(0, view, (player) => {
      const used = replay.seconds.slice(0, n).reduce((sum, taken, i) => sum + (moves[i].by === player ? taken : 0), 0);
      const lost = last && replay.fault?.player === player ? [el("span", { class: "lost" }, "forfeit")] : [];
      const clock = clockOf(`${replay.players[player]}, time used`, usedText(used));
      return { name: replay.players[player], turn: view.player === player, more: [...lost, clock] };
    });
  }

  /** A new game from before a mistake, in the seat of the player who made it. */
  async function tryAgain({ n, by }) {
    try {
      const games = await ask("/api/games"),
        { opponents } = games.find(({ name: each }) => each === shape.game);
      const known = [replay.players[1 - by], choices.get("opponent"), "alphabeta:level=3"];
      const opponent = known.find((wanted) => opponents.some((one) => one.name === wanted)) ?? opponents[0].name;
      const made = await ask("/api/play", {
        game: shape.game,
        opponent,
        seat: by,
        play: texts.slice(0, n - 1).join(" "),
      });
      enter(made);
    } catch (error) {
      toast(error.message);
    }
  }
}
