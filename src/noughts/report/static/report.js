// The report: what is in the address after "#" says what is shown: nothing, team-N, pair-N-M, game-N,
// game-N-team-M or game-N-team-M-at-PLY.

import { create } from "./board.js";
import { gameView, leadOf, REASONS, secondsText, unpacked } from "./game.js";
import { button, cell, rowHead, scaleOf, table, themeButton, ticksOf, whisker } from "./parts.js";
import { axis, bar, nameOf, percent, timeStrip } from "./tables.js";
import { moveAt, recordOf, viewAt } from "./frames.js";
import { mistakesOf } from "./review.js";
import { byId, el } from "./shapes.js";

const report = JSON.parse(byId("data-head").textContent);
const { tables, games } = await unpacked("games");
const main = byId("main"),
  { teams } = report;
const rows = report.games.map(([number, stage, pool, round, first, second, p0, p1, reason, faulty, moves]) => ({
  number,
  stage,
  pool,
  round,
  seats: [first, second],
  points: [p0, p1],
  reason,
  faulty,
  moves,
}));
const byNumber = new Map(rows.map((row) => [row.number, row]));
const half = (score) => (score % 1 ? `${Math.floor(score) || ""}½` : String(score));
const STAGES = {
  league: "League",
  group: "Group stage",
  semi: "Semi-final",
  final: "Final",
  swiss: "Swiss",
  gauntlet: "Gauntlet",
  match: "Match",
};
const stageName = (stage) => STAGES[stage] ?? stage[0].toUpperCase() + stage.slice(1);
const FOLDED = 3,
  TURNED = 6,
  players = report.format === "match" ? "Player" : "Team";
/** @type {any} */
let shownGame = null;

const teamLink = (i) =>
  report.folder && report.only !== i
    ? report.pages[i] && rows.some((row) => row.seats.includes(i))
      ? `${report.pages[i]}#team-${i + 1}`
      : null
    : `#team-${i + 1}`;
function gameLink(row, team = null) {
  const own = `#game-${row.number}${team === null ? "" : `-team-${team + 1}`}`;
  if (games[row.number]) return own;
  const page = report.folder && (report.pages[team ?? row.seats[0]] ?? null);
  return page ? `${page}${own}` : null;
}
const scoreOf = (row, seat) =>
  row.points[seat] === row.points[1 - seat] ? report.draw_score : Number(row.points[seat] > row.points[1 - seat]);
const section = (id, title, ...children) =>
  el("section", { "aria-labelledby": `h-${id}`, class: `part-${id}` }, el("h2", { id: `h-${id}` }, title), ...children);
const note = (text) => el("p", { class: "soft small under" }, text);
const linked = (text, href, more = {}) => (href ? el("a", { href, ...more }, text) : el("span", {}, text));

// The first page.

function overview() {
  const { status } = report,
    played = status.finished ? `${rows.length} games` : `${status.games} of ${status.of} games so far`;
  const lines = rows.filter((row) => row.reason === "line").length;
  return [
    el(
      "header",
      { class: "title" },
      el("h1", {}, report.title),
      el(
        "p",
        { class: "soft" },
        [
          report.game,
          `${teams.length} ${report.format === "match" ? "players" : "teams"}`,
          played,
          `${lines} of them decided by a line`,
          report.limit ? `${secondsText(report.limit)} for a move` : null,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    el(
      "div",
      { class: teams.length <= 8 && report.stages.length < 2 ? "two" : "one" },
      standings(),
      teams.length > 1 && report.stages.length < 2 ? cross() : null,
    ),
    excluded(),
    marks(),
    turned(),
    stages(),
    endings(),
    times(),
    faults(),
    gameList(),
  ];
}

/** What the order is by, if that is not the points: the column's head, and each team's text. */
const ORDERS = {
  "stage reached": ["Reached", (team) => team.reached ?? ""],
  "points a game": ["A game", (team) => team.points_per_game.toFixed(2)],
};
const ORDER_NOTES = {
  points: "Ordered by points",
  "points a game": "Ordered by points a game, since not all have played as many games",
  "stage reached": "Ordered by the stage reached, the place in its pool, and points a game there",
  rating: "Ordered by rating",
};
const TIE_BREAKS = "; where that is equal, by games won, points among equals, points given up, and a lot";

function standings() {
  const rated = report.rated && teams.length > 1,
    order = ORDERS[report.ordered_by] ?? null;
  const low = Math.min(...teams.map((team) => team.elo_low)),
    high = Math.max(...teams.map((team) => team.elo_high));
  const x = scaleOf(low, high),
    ticks = rated ? ticksOf(low, high, innerWidth < 760 ? 1.2 : 3) : [];
  const heads = [
    "#",
    ["name", players],
    ["wide", "Won"],
    ["wide", "Drawn"],
    ["wide", "Lost"],
    "Points",
    ...(order ? [order[0]] : []),
    ...(rated ? [["wide", `Top ${report.top}`], "Elo"] : []),
  ];
  const line = (team, i) =>
    el(
      "tr",
      { class: report.own === i ? "own" : "" },
      cell(String(i + 1)),
      rowHead(nameOf(team, teamLink(i))),
      cell(String(team.won), "wide"),
      cell(String(team.drawn), "wide"),
      cell(String(team.lost), "wide"),
      cell(String(team.points)),
      ...(order ? [cell(order[1](team))] : []),
      ...(rated
        ? [
            cell(team.top === null ? "" : percent(team.top), "wide"),
            cell(signedElo(team.elo)),
            el(
              "td",
              { class: "span" },
              whisker(x, ticks, {
                value: team.elo,
                low: team.elo_low,
                high: team.elo_high,
                label: ratingText(team),
              }),
            ),
          ]
        : []),
    );
  const box = table("Table of standings", heads, teams.map(line), "standings");
  if (rated)
    box
      .querySelector("thead tr")
      .append(
        el(
          "th",
          { scope: "col", class: "span" },
          el("span", { class: "hidden" }, "Elo with its 95% interval"),
          axis(x, ticks, signedElo),
        ),
      );
  const groups = new Set(teams.map((team) => team.component)).size;
  return section(
    "standings",
    "Standings",
    box,
    report.ordered_by && teams.length > 1
      ? note(`${ORDER_NOTES[report.ordered_by]}${report.ordered_by.startsWith("points") ? TIE_BREAKS : ""}.`)
      : null,
    rated
      ? note(
          "Bars are 95% intervals of the rating: where two overlap, the order of those teams is not certain. " +
            `Top ${report.top}: how sure it is that a team is among the first ${report.top}.`,
        )
      : null,
    rated && groups > 1
      ? note(`The teams fall into ${groups} groups that have not met each other; ratings compare within a group only.`)
      : null,
    report.extra ? note(`By rating, from ${report.extra} more games until the first places were sure.`) : null,
    report.slow
      ? note(
          `${report.slow.games} games were played on a machine slower than usual by more than 15%` +
            `${report.slow.lost ? `; ${report.slow.lost} of them were lost on time` : ""}.`,
        )
      : null,
  );
}
const ratingText = ({ elo, elo_low, elo_high }) =>
  `Elo ${Math.round(elo)}, 95% between ${Math.round(elo_low)} and ${Math.round(elo_high)}`;
const signedElo = (elo) => {
  const whole = Math.round(elo);
  return `${whole > 0 ? "+" : whole < 0 ? "−" : ""}${Math.abs(whole)}`;
};

/** Bots that the gate had something against, folded: there may be many. */
function excluded() {
  if (!report.out.length) return null;
  const out = report.out.filter(({ plays }) => !plays).length,
    warned = report.out.length - out;
  const title = [
    out ? `${out} ${out === 1 ? "bot does" : "bots do"} not play` : null,
    warned ? `${warned} ${warned === 1 ? "plays" : "play"} with a remark of the check` : null,
  ];
  const line = (each) => el("li", {}, el("bdi", {}, each.name), ` ${each.fate}: ${each.reason}`);
  return el(
    "details",
    { class: "card pad excluded", open: report.out.length <= FOLDED },
    el("summary", {}, title.filter(Boolean).join(", ")),
    el("ul", { class: "small" }, ...report.out.map(line)),
  );
}

/** The marks by the rule of the format, for those who may see them. */
function marks() {
  if (!report.marks?.length) return null;
  const parts = report.marks[0].parts.map(({ name }) => name);
  const line = (mark) =>
    el(
      "tr",
      {},
      rowHead(el("bdi", {}, mark.name)),
      cell(mark.marks.toFixed(2), "sum"),
      ...mark.parts.map((part) => cell(part.marks.toFixed(2), "wide")),
      cell(mark.parts.map(({ name, why }) => (parts.length > 1 ? `${name}: ${why}` : why)).join("; "), "words"),
    );
  const heads = [
    ["name", "Team"],
    `Of ${report.marks[0].out_of}`,
    ...parts.map((name) => ["wide", name]),
    ["words", "Why"],
  ];
  return section(
    "marks",
    "Marks",
    el(
      "details",
      { open: report.marks.length <= FOLDED },
      el("summary", {}, `${report.marks.length} ${report.marks.length === 1 ? "team" : "teams"}`),
      table("Marks", heads, report.marks.map(line), "stacked"),
    ),
    note("By the rule of the format; marks by thresholds or by hand are not in it."),
  );
}

/** What teams scored against each other in some games: (ours, theirs) -> a table cell that leads to the games. */
function scores(list) {
  const met = new Map();
  for (const row of list) {
    const [first, second] = row.seats;
    for (const [ours, theirs, seat] of [
      [first, second, 0],
      [second, first, 1],
    ]) {
      const key = `${ours}-${theirs}`,
        known = met.get(key) ?? [0, 0];
      met.set(key, [known[0] + scoreOf(row, seat), known[1] + 1]);
    }
  }
  const counts = [...new Set([...met.values()].map(([, count]) => count))];
  const box = (ours, theirs) => {
    const found = met.get(`${ours}-${theirs}`);
    if (ours === theirs && !found) return el("td", { class: "self", "aria-label": "itself" }, "·");
    if (!found) return el("td", {}, el("span", { class: "hidden" }, "have not met"));
    const [score, count] = found,
      link = el(
        "a",
        {
          href: `#pair-${ours + 1}-${theirs + 1}`,
          class: "share",
          "aria-label": `${teams[ours].name} against ${teams[theirs].name}: ${half(score)} of ${count}`,
        },
        half(score),
      );
    link.style.setProperty("--share", score / count);
    return el("td", {}, link);
  };
  return { box, counts };
}

function cross() {
  const { box, counts } = scores(rows);
  return section(
    "cross",
    "Against each other",
    table(
      "Cross table",
      ["#", ["name", players], ...teams.map((_, i) => String(i + 1))],
      teams.map((team, i) =>
        el("tr", {}, cell(String(i + 1)), rowHead(nameOf(team)), ...teams.map((_, j) => box(i, j))),
      ),
      "cross",
    ),
    note(
      `Games won by the row’s ${players.toLowerCase()} against the column’s, draws counted half` +
        `${counts.length === 1 ? `, out of ${counts[0]}` : ""}. Each leads to the games.`,
    ),
  );
}

/** The games that turned most in one move. */
function turned() {
  const found = rows.flatMap((row) => {
    const mistake = games[row.number]?.mistakes?.find((each) => each[7]);
    return mistake ? [{ row, cost: mistake[3] }] : [];
  });
  const worst = found.sort((a, b) => b.cost - a.cost).slice(0, TURNED);
  if (!worst.length) return null;
  const line = ({ row, cost }) =>
    el(
      "li",
      {},
      el("a", { href: gameLink(row) }, `Game ${row.number}`),
      el("span", { class: "cost" }, `−${(cost / 1000).toFixed(2)}`),
      el(
        "span",
        { class: "why" },
        leadOf(
          recordOf(tables, games[row.number]),
          row.seats.map((i) => teams[i].name),
        ),
      ),
    );
  return section(
    "turned",
    "Games that one move turned",
    el("ul", { class: "card pad turned" }, ...worst.map(line)),
    note("What the move gave away of the expected result, which is 1 for a win and −1 for a loss."),
  );
}

/** A table for each pool, with who beat whom in it. */
function stages() {
  if (report.stages.length < 2) return null;
  const order = [...new Set(report.stages.map(({ stage }) => stage))],
    alone = (stage) => report.stages.filter((each) => each.stage === stage).length === 1;
  const pool = ({ stage, pool, go_on, rows: table_ }) => {
    const names = table_.map(([team]) => team),
      { box } = scores(rows.filter((row) => row.stage === stage && row.pool === pool));
    const label = alone(stage) ? stageName(stage) : `${stageName(stage)}, pool ${pool}`;
    const line = ([team, , , , , points], i) =>
      el(
        "tr",
        { class: go_on === i + 1 && go_on < names.length ? "last-in" : "" },
        cell(String(i + 1)),
        rowHead(nameOf(teams[team], teamLink(team))),
        cell(String(points), "sum"),
        ...names.map((other) => box(team, other)),
      );
    return el(
      "div",
      { class: "pool" },
      el("h3", {}, label),
      table(label, ["#", ["name", "Team"], "Points", ...names.map((_, i) => String(i + 1))], table_.map(line), "cross"),
    );
  };
  return section(
    "stages",
    "Stages",
    ...order.map((stage) =>
      el("div", { class: "pools" }, ...report.stages.filter((each) => each.stage === stage).map(pool)),
    ),
    note("Games won by the row’s team against the column’s, draws counted half. Each leads to the games."),
    report.stages.some(({ go_on }) => go_on) ? note("Those above the line go on to the next stage.") : null,
  );
}

function endings() {
  const counts = new Map();
  for (const row of rows) counts.set(row.reason, (counts.get(row.reason) ?? 0) + 1);
  const parts = [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([reason, count]) => ({ text: REASONS[reason] ?? reason, count }));
  return rows.length ? section("endings", "How games ended", el("div", { class: "card pad" }, bar(parts))) : null;
}

function times() {
  if (!report.times.some(Boolean) || !report.limit) return null;
  const line = (team, i) => {
    const time = report.times[i];
    if (!time) return null;
    const [least, quarter, middle, three, late, most] = time.quantiles.map(secondsText);
    return el(
      "tr",
      {},
      rowHead(nameOf(team, teamLink(i))),
      cell(middle),
      cell(late, "wide"),
      cell(most),
      cell(percent(time.share)),
      el(
        "td",
        { class: "span" },
        timeStrip(
          time.quantiles,
          report.limit,
          `from ${least} to ${most}, half of them between ${quarter} and ${three}`,
        ),
      ),
    );
  };
  return section(
    "times",
    "Time for a move",
    table(
      "Times",
      [
        ["name", "Team"],
        "Median",
        ["wide", "95% within"],
        "Longest",
        "Of its time",
        ["span", `1 ms to ${secondsText(report.limit)}`],
      ],
      teams.map(line).filter(Boolean),
      "times",
    ),
    note(
      "Thick: the middle half of the moves; thin: from the quickest to the longest; " +
        "on a logarithmic scale that ends at the limit.",
    ),
  );
}

function faults(only = null) {
  const listed = report.faults.filter(({ team }) => only === null || team === only);
  if (!listed.length) return null;
  const line = ({ team, kind, text, games: numbers, count }) =>
    el(
      "tr",
      {},
      only === null ? rowHead(nameOf(teams[team], teamLink(team))) : null,
      cell(REASONS[kind] ?? kind, "left"),
      cell(text, "words"),
      cell(String(count)),
      el(
        "td",
        { class: "left games" },
        ...numbers.flatMap((number) => [linked(String(number), gameLink(byNumber.get(number), only)), " "]),
        count > numbers.length ? `and ${count - numbers.length} more` : null,
      ),
    );
  return section(
    "faults",
    "Faults",
    table(
      "Faults",
      [...(only === null ? [["name", "Team"]] : []), ["left", "What"], ["words", "Said"], "Games", ["left", "See"]],
      listed.map(line),
      "stacked",
    ),
  );
}

function gameList() {
  if (report.format !== "match") return null;
  return section("games", "Games", gameTable(rows, null));
}

// Games of a team, or of two.

function gameTable(list, team) {
  const line = (row) => {
    const seat = team === null ? 0 : row.seats[0] === team ? 0 : 1,
      score = scoreOf(row, seat),
      href = gameLink(row, team);
    const result =
      team === null
        ? `${row.points[0]} : ${row.points[1]}`
        : `${score === 1 ? "won" : score === 0 ? "lost" : "drawn"} ${row.points[seat]} : ${row.points[1 - seat]}`;
    return el(
      "tr",
      {},
      el("td", {}, linked(String(row.number), href, { "aria-label": `game ${row.number}` })),
      rowHead(
        team === null
          ? el("span", {}, nameOf(teams[row.seats[0]]), " – ", nameOf(teams[row.seats[1]]))
          : el("div", {}, nameOf(teams[row.seats[1 - seat]]), score === 0 ? why(row, team) : null),
      ),
      cell(team === null ? "" : seat === 0 ? "first" : "second", "wide left"),
      cell(result, "left"),
      cell(REASONS[row.reason] ?? row.reason, "left"),
      cell(String(row.moves), "wide"),
      cell(decisiveOf(row, team), "wide left"),
    );
  };
  return table(
    "Games",
    [
      "Game",
      ["name", team === null ? "Players" : "Against"],
      ["wide left", team === null ? "" : "Moved"],
      ["left", "Result"],
      ["left", "End"],
      ["wide", "Moves"],
      ["wide left", "Decided by"],
    ],
    list.map(line),
  );
}

/** One sentence on why a game was lost, if it was analysed. */
const why = (row, team) =>
  games[row.number]?.values
    ? el(
        "p",
        { class: "soft small sentence" },
        leadOf(
          recordOf(tables, games[row.number]),
          row.seats.map((i) => (i === team ? "It" : teams[i].name)),
        ),
      )
    : null;

function decisiveOf(row, team) {
  const found = games[row.number]?.mistakes?.find((mistake) => mistake[7]);
  return !found || (team !== null && scoreOf(row, row.seats.indexOf(team)) !== 0)
    ? ""
    : `move ${found[0] + 1}, −${(found[3] / 1000).toFixed(2)}`;
}

function teamPage(i) {
  const team = teams[i],
    list = rows.filter((row) => row.seats.includes(i)),
    said = report.patterns[i];
  const lost = list.filter((row) => scoreOf(row, row.seats.indexOf(i)) === 0),
    rest = list.filter((row) => !lost.includes(row));
  const time = report.times[i];
  return [
    el(
      "header",
      { class: "title" },
      el("p", { class: "small" }, el("a", { href: report.folder ? "index.html" : "#" }, "Standings")),
      el("h1", {}, nameOf(team)),
      el(
        "p",
        { class: "soft" },
        [
          `place ${i + 1} of ${teams.length}`,
          `${team.won} won, ${team.drawn} drawn, ${team.lost} lost`,
          `${team.points} points`,
          report.rated
            ? `Elo ${signedElo(team.elo)} (${signedElo(team.elo_low)} to ${signedElo(team.elo_high)})`
            : null,
          time ? `${percent(time.share)} of its time` : null,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    said.length
      ? section(
          "why",
          "What its games show",
          el("ul", { class: "card pad said-list" }, ...said.map((sentence) => el("li", {}, sentence))),
        )
      : null,
    !said.length && report.audience !== "public" && report.reviewed === 0
      ? note("The games have not been analysed.")
      : null,
    puzzles(i),
    faults(i),
    lost.length ? section("lost", `Lost (${lost.length})`, gameTable(lost, i)) : null,
    rest.length ? section("rest", `Won and drawn (${rest.length})`, gameTable(rest, i)) : null,
  ];
}

/** The positions of a team's games that it should look at again, as `noughts report --puzzles` writes them. */
function puzzles(i) {
  const found = (report.puzzles?.[i] ?? []).filter(([number]) => games[number]);
  if (!found.length) return null;
  const tile = ([number, ply]) => {
    const record = recordOf(tables, games[number]),
      mistake = mistakesOf(record).find(({ n }) => n === ply + 1),
      picture = el("div", { class: "picture" });
    create(picture, { mode: "picture", numbers: false }).show(viewAt(record, ply));
    const words = mistake
      ? `${moveAt(record, ply + 1)} gave away ${mistake.loss.toFixed(2)}; better: ${mistake.line[0]}`
      : "";
    return el(
      "li",
      { class: "card pad" },
      el("a", { href: `${gameLink(byNumber.get(number), i)}-at-${ply}` }, `Game ${number}, move ${ply + 1}`),
      picture,
      el("p", { class: "small" }, words),
    );
  };
  return section(
    "puzzles",
    "Positions to look at again",
    el("ul", { class: "positions" }, ...found.map(tile)),
    el(
      "p",
      { class: "soft small under" },
      "What would you play? Each leads to its game. ",
      el("code", {}, "noughts check BOT.py --positions FILE"),
      " tries a bot on all of them.",
    ),
  );
}

function pairPage(i, j) {
  const list = rows.filter((row) => row.seats.includes(i) && row.seats.includes(j));
  return [
    el(
      "header",
      { class: "title" },
      el("p", { class: "small" }, el("a", { href: "#" }, "Standings")),
      el("h1", {}, nameOf(teams[i], teamLink(i)), " against ", nameOf(teams[j], teamLink(j))),
    ),
    gameTable(list, null),
  ];
}

function gamePage(row, team, ply) {
  const game = games[row.number],
    players = row.seats.map((i) => teams[i].name);
  const list = rows.filter((each) => games[each.number] && (team === null || each.seats.includes(team))),
    at = list.indexOf(row);
  const step = (to, label) => (list[to] ? el("a", { class: "btn", href: gameLink(list[to], team) }, label) : null);
  const title = el(
    "header",
    { class: "title" },
    el(
      "p",
      { class: "small" },
      el("a", { href: report.folder ? "index.html" : "#" }, "Standings"),
      ...row.seats.flatMap((i) => [" · ", linked(nameOf(teams[i]), teamLink(i))]),
    ),
    el("h1", {}, el("bdi", {}, players[0]), " – ", el("bdi", {}, players[1])),
    el(
      "p",
      { class: "soft" },
      `game ${row.number} · ${stageName(row.stage)}`,
      row.stage === "match" ? null : `, pool ${row.pool}, round ${row.round}`,
      ` · ${row.points[0]} : ${row.points[1]} · ${REASONS[row.reason] ?? row.reason}`,
    ),
  );
  shownGame = gameView(tables, game, {
    players,
    limit: report.limit,
    seat: team === null ? null : row.seats.indexOf(team),
    at: ply,
  });
  return [
    title,
    el("section", { class: "card", "aria-label": "The game" }, shownGame.element),
    el("nav", { class: "row pad", "aria-label": "Games" }, step(at - 1, "Game before"), step(at + 1, "Next game")),
  ];
}

// Where to.

function content(place) {
  const numbers = (place.match(/\d+/g) ?? []).map(Number),
    within = (n) => n >= 1 && n <= teams.length;
  if (place.startsWith("team-") && within(numbers[0])) return teamPage(numbers[0] - 1);
  if (place.startsWith("pair-") && numbers.slice(0, 2).every(within) && numbers.length > 1)
    return pairPage(numbers[0] - 1, numbers[1] - 1);
  if (place.startsWith("game-") && games[numbers[0]] && byNumber.has(numbers[0]))
    return gamePage(byNumber.get(numbers[0]), within(numbers[1]) ? numbers[1] - 1 : null, numbers[2] ?? null);
  return report.only === null ? overview() : teamPage(report.only);
}

function show(first = false) {
  shownGame?.destroy();
  shownGame = null;
  const place = location.hash.slice(1);
  if (place === "main") return;
  const notice = report.notice ? el("p", { class: "notice" }, report.notice) : null;
  main.replaceChildren(...[notice, ...content(place)].filter(Boolean));
  document.title = `${main.querySelector("h1")?.textContent ?? ""}, ${report.title}`;
  if (!first) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

byId("tools").append(
  button("Print", () => print(), { look: "quiet" }),
  themeButton(),
);
addEventListener("hashchange", () => show());
show(true);
