// A team's page on the ladder: notices, uploads, the check, versions, ratings over time, friendly matches, games and
// losses. The server leaves out what the request may not see.

import { button, capital, nameOf, rowHead, rowsOf, table } from "./parts.js";
import { KINDS } from "./review.js";
import { el } from "./shapes.js";
import { ask, live, nothingHere, toast } from "./kit.js";
import { usedText } from "./gamepage.js";
import { gatePanel, uploadPanel } from "./upload.js";
import { gameLink, ladderHead, LEADERBOARD, noteOf, replayAddress, teamAddress, teamLink } from "./ladder.js";
import { ago, eloText, marginText, ratingCurve, trendMark } from "./ratings.js";

const REFRESH_SECONDS = 5; // minimum, between two looks at a team
const GAMES_A_PAGE = 50;
const LOSSES_SHOWN = 12;

/** name, number: from the address. number: the version whose check is shown. */
export async function show(main, name, number = undefined) {
  const team = decodeURIComponent(name),
    place = `/api/ladder/teams/${encodeURIComponent(team)}`;
  const ladder = await ask("/api/ladder");
  let facts;
  try {
    facts = await ask(place);
  } catch (error) {
    return nothingHere(main, "Team not found", `${capital(error.message)}.`, LEADERBOARD);
  }
  document.title = `${team}: noughts`;
  hidesNames = ladder.pseudonyms && ladder.you.audience !== "staff";
  yardsticks = new Set(ladder.board.filter(({ yardstick }) => yardstick).map((row) => row.team));
  const mine = ladder.you.team === team,
    notices = el("div", { role: "status" }),
    friendly = friendlyPanel(mine ? () => refresh() : null),
    upload = mine ? uploadPanel(ladder, (answer) => follow(answer.version, answer)) : null,
    under = el("span"),
    gate = gatePanel(facts.own ? place : null),
    curve = el("div"),
    versions = el("div"),
    opponents = el("div"),
    lost = el("ol", { class: "feed losses" }),
    games = gameTable(team);
  const links = el(
    "div",
    { class: "row" },
    facts.own && !facts.yardstick
      ? el("a", { class: "btn", href: `${place}/logs.zip`, download: "" }, "Logs as a zip")
      : null,
    ladder.you.audience === "staff" ? el("a", { class: "btn", href: "/ladder/staff" }, "Staff") : null,
    el("a", { class: "btn", href: "/ladder" }, "Leaderboard"),
  );
  const head = ladderHead(ladder, nameOf(team), under, links);
  const part = (title, ...content) => el("section", {}, el("h2", {}, title), ...content);
  main.append(
    el(
      "div",
      { class: "page team" },
      ...head.parts,
      notices,
      upload,
      gate.element,
      part("Rating over time", curve),
      part("Versions", versions),
      el(
        "div",
        { class: "two even" },
        part("Against each opponent", opponents),
        part(
          "Why it lost",
          facts.own && !facts.yardstick
            ? el(
                "p",
                { class: "soft small" },
                el("a", { href: `${place}/positions.json`, download: "" }, "Positions to test"),
                " for ",
                el("code", {}, "noughts check --positions"),
              )
            : null,
          lost,
        ),
      ),
      friendly.element,
      part("Games", games.element),
    ),
  );
  fill(facts, ladder.board);
  if (upload) upload.hidden = !head.isOpen();
  await Promise.all([showLosses(), games.load()]);
  if (number) follow(Number(number));
  else if (facts.own && facts.versions.some(({ state }) => state === "at the gate"))
    follow(facts.versions.find(({ state }) => state === "at the gate").version);

  let seen = JSON.stringify(rowOf(ladder.board)),
    looked = Date.now();
  live("/live/ladder", {
    received(now) {
      if (now.error) return toast(now.error);
      head.update(now);
      if (upload) upload.hidden = !head.isOpen();
      const row = JSON.stringify(rowOf(now.board));
      if (row === seen || document.hidden || Date.now() - looked < 1000 * REFRESH_SECONDS) return null;
      seen = row;
      looked = Date.now();
      return refresh(now.board).catch((error) => toast(error.message));
    },
  });
  return null;

  function rowOf(board) {
    return board.find((row) => row.team === team);
  }

  async function refresh(/** @type {any} */ board = null) {
    fill(await ask(place), board ?? (await ask("/api/ladder")).board);
    await Promise.all([showLosses(), games.load()]);
  }

  function fill(now, board) {
    const row = rowOf(board);
    notices.replaceChildren(...now.notices.map((text) => el("p", { class: "notice" }, text)));
    friendly.fill(now, ladder);
    under.replaceChildren(
      ...[
        now.yardstick ? "a yardstick" : null,
        row?.place ? `place ${row.place} of ${ladder.teams}` : null,
        row && row.elo !== null ? `${eloText(row.elo)} ${marginText(row)} Elo` : null,
        row?.version && !now.yardstick ? `version ${row.version} plays` : null,
        now.state === "plays" ? null : now.state,
        now.alias ? `shown to others as ${now.alias}` : null,
      ]
        .filter(Boolean)
        .join(" · "),
    );
    curve.replaceChildren(
      now.curve.length
        ? ratingCurve(now.curve)
        : el("p", { class: "soft" }, "No rating yet: it comes with the first games."),
    );
    versions.replaceChildren(versionTable(now, team));
    opponents.replaceChildren(
      now.opponents.length
        ? opponentTable(now.opponents)
        : el("p", { class: "soft" }, "The current version has no games yet."),
    );
  }

  async function showLosses() {
    const found = await ask(`/api/ladder/games?${new URLSearchParams({ team, lost: "true" })}`);
    const known = found.filter(({ reviewed, fault }) => reviewed || fault),
      open = found.length - known.length,
      more = found.length
        ? `${open} of the latest ${found.length} lost games have no review yet. Games are reviewed when a core is idle.`
        : "No games lost.";
    lost.replaceChildren(
      ...known.slice(0, LOSSES_SHOWN).map((game) => lossItem(game, team)),
      ...(open || !found.length ? [el("li", { class: "soft" }, more)] : []),
    );
  }

  async function follow(version, /** @type {any} */ answer = null) {
    history.replaceState(null, "", `${teamAddress(team)}/version/${version}`);
    const ended = await gate.follow(version, answer);
    if (ended) await refresh().catch((error) => toast(error.message));
  }
}

// ---- Friendly matches.

/** {element, fill(team, ladder)}: unrated matches on demand. done: called after a request; null: none. */
function friendlyPanel(done) {
  const body = el("div", { class: "stack" }),
    refusal = el("p", { role: "alert", class: "refusal", hidden: true }),
    element = el("section", { hidden: true }, el("h2", {}, "Friendly matches"), body, refusal);
  async function wish(path, data) {
    refusal.hidden = true;
    try {
      await ask(path, data);
      await done();
    } catch (error) {
      refusal.textContent = `${capital(error.message)}.`;
      refusal.hidden = false;
    }
  }
  function fill({ friendlies, willing }, { friendlies_a_day: most }) {
    element.hidden = !friendlies;
    if (!friendlies || body.contains(document.activeElement)) return; // keep the user's choice
    const choice = el(
      "select",
      { "aria-label": "Opponent" },
      ...friendlies.opponents.map((name) => el("option", { value: name }, name)),
    );
    const open = el("input", {
      type: "checkbox",
      checked: willing,
      onchange: () => wish("/api/ladder/willing", { willing: open.checked }),
    });
    const controls = done
      ? [
          el(
            "div",
            { class: "row" },
            choice,
            button("Play two games", () => wish("/api/ladder/friendlies", { opponent: choice.value }), {
              disabled: !friendlies.left || !friendlies.opponents.length,
            }),
            el("span", { class: "soft small" }, `not rated; ${friendlies.left} of ${most} left today`),
          ),
          el("label", { class: "row" }, open, "Other teams may request matches against your bot"),
        ]
      : [];
    body.replaceChildren(
      ...controls,
      friendlies.matches.length
        ? el("ol", { class: "feed" }, ...friendlies.matches.map(friendlyItem))
        : el("p", { class: "soft" }, "No friendly matches yet."),
    );
  }
  return { element, fill };
}

function friendlyItem({ opponent, asked, asked_by_us: ours, games }) {
  const results = games.flatMap(({ number, result, fault }) => [
    ` ${result}${fault ? ` (forfeit, ${fault})` : ""} `,
    gameLink(number),
  ]);
  return el(
    "li",
    {},
    el("b", {}, "against ", nameOf(opponent)),
    el("span", { class: "soft" }, ours ? ", " : ", requested by them ", ago(asked), games.length < 2 ? ", waits" : ""),
    ...results,
  );
}

// ---- Tables.

function versionTable({ versions, own, yardstick }, team) {
  if (!versions.length) return el("p", { class: "soft" }, "No version has played yet.");
  const page = ({ version }) => el("a", { href: `${teamAddress(team)}/version/${version}` }, String(version));
  const columns = [
    ["Version", (row) => (own && !yardstick ? page(row) : row.version)],
    ["State", ({ state, reason }) => [state, reason && noteOf(reason)], "name plain"],
    ["Rating", ({ elo }) => eloText(elo), "elo"],
    ["95%", marginText, "soft"],
    ["Changed", ({ change }) => trendMark(change, " from the version before"), "wide-only"],
    ["Games", ({ games }) => games, "wide-only"],
    ["Uploaded", ({ uploaded }) => ago(uploaded), "wide-only soft"],
  ];
  return table("Versions", columns, versions, "", ({ state }) => (state === "plays" ? "own" : ""));
}

/** Opponents under pseudonyms have no page. */
const linked = (name) => (hidesNames && !yardsticks.has(name) ? nameOf(name) : teamLink(name));
let hidesNames = false,
  yardsticks = new Set();

function opponentTable(rows) {
  const count = (/** @type {number} */ number) => number || el("span", { class: "soft" }, "0");
  const columns = [
    ["Opponent", ({ opponent }) => rowHead(linked(opponent)), "name"],
    ["Won", ({ won }) => count(won)],
    ["Drawn", ({ drawn }) => count(drawn)],
    ["Lost", ({ lost }) => count(lost)],
    ["Forfeits", ({ forfeits }) => count(forfeits)],
  ];
  return table("Against each opponent", columns, rows);
}

/** A lost game: the turning point, with a link to its position, or the fault. */
function lossItem(game, team) {
  const { opponent, version, turn } = seenBy(game, team);
  const why = game.fault
    ? `Forfeit, ${game.reason}: ${game.fault}`
    : turn
      ? [
          el("a", { href: replayAddress(game.number, { at: turn.move - 1 }) }, `Move ${turn.move}`),
          ` ${KINDS[turn.kind]}${turn.decisive ? ", decisive" : ""} (−${turn.loss.toFixed(2)})`,
        ]
      : "No single move decided it.";
  return el(
    "li",
    {},
    el("b", {}, "against ", nameOf(opponent)),
    el("span", { class: "soft" }, ` as version ${version}, `),
    gameLink(game.number),
    el("br"),
    ...[why].flat(),
  );
}

/** Games with results and times: {element, load()}; load shows the newest. */
function gameTable(team) {
  const columns = [
    ["Game", ({ number }) => el("a", { href: replayAddress(number) }, String(number))],
    ["Opponent", ({ opponent }) => linked(opponent), "name"],
    ["Result", ({ result, fault, reason }) => [result, fault && noteOf(`forfeit, ${reason}`)], "name plain"],
    ["Version", ({ version }) => version, "wide-only"],
    ["Moves", ({ plies }) => plies, "wide-only"],
    ["Time used", ({ seconds: [ours, theirs] }) => `${usedText(ours)} / ${usedText(theirs)}`, "wide-only"],
    ["Played", ({ finished }) => ago(finished), "wide-only soft"],
  ];
  const none = el("p", { class: "soft", hidden: true }, "No games yet."),
    box = table("Games", columns, [], "results"),
    body = box.querySelector("tbody");
  const more = button("More games", () => page(last).catch((error) => toast(error.message)), { hidden: true });
  let last = null,
    paged = false;
  async function page(/** @type {number | null} */ before) {
    const query = new URLSearchParams(before === null ? { team } : { team, before: String(before) });
    const found = await ask(`/api/ladder/games?${query}`),
      rows = rowsOf(
        columns,
        found.map((game) => seenBy(game, team)),
      );
    if (before === null) body.replaceChildren(...rows);
    else {
      body.append(...rows);
      paged = true; // and keep the scroll position
    }
    last = found.at(-1)?.number ?? last;
    more.hidden = found.length < GAMES_A_PAGE;
    none.hidden = body.childElementCount > 0;
    box.hidden = !none.hidden;
  }
  return { element: el("div", { class: "stack" }, none, box, more), load: async () => paged || page(null) };
}

/** A game as one of its teams sees it. */
function seenBy(game, team) {
  const ours = game.first === team ? "first" : "second",
    theirs = game.first === team ? "second" : "first";
  const won = Math.sign(game[`${ours}_points`] - game[`${theirs}_points`]);
  return {
    ...game,
    opponent: game[theirs],
    version: game[`${ours}_version`],
    seconds: [game[`${ours}_seconds`], game[`${theirs}_seconds`]],
    result: won > 0 ? "won" : won < 0 ? "lost" : "drawn",
  };
}
