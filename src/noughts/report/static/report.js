// The report: the part of the address after "#" selects the page: standings, team-N, pair-N-M, game-N,
// game-N-team-M or game-N-team-M-at-PLY. Without one, a page for a team opens on that team, others on the standings.

import { gameView, REASONS, secondsText } from "./game.js";
import { button, themeButton } from "./parts.js";
import { linked, nameOf } from "./tables.js";
import {
  byNumber,
  gameLink,
  games,
  home,
  report,
  rows,
  stageName,
  standingsLink,
  teamLink,
  teams,
} from "./reportdata.js";
import { cross, excluded, marks, stages, standings } from "./standings.js";
import { endings, faults, times, turned } from "./gamefacts.js";
import { gameList, pairPage, teamPage } from "./teampages.js";
import { byId, el } from "./shapes.js";

const main = byId("main");
/** @type {any} */
let shownGame = null;

// The first page.

function overview() {
  const { status } = report,
    played = status.finished ? `${rows.length} games` : `${status.games} of ${status.of} games so far`;
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
          `${Object.fromEntries(report.endings).line ?? 0} of them decided by a line`,
          report.limit ? `${secondsText(report.limit)} per move` : null,
          report.reviewed < rows.length ? `${report.reviewed} of ${rows.length} games reviewed` : null,
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

function gamePage(row, team, ply) {
  const players = row.seats.map((i) => teams[i].name);
  const list = rows.filter((each) => games[each.number] && (team === null || each.seats.includes(team))),
    at = list.indexOf(row);
  const step = (to, label) => (list[to] ? el("a", { class: "btn", href: gameLink(list[to], team) }, label) : null);
  const title = el(
    "header",
    { class: "title" },
    el(
      "p",
      { class: "small" },
      el("a", { href: standingsLink }, "Standings"),
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
  shownGame = gameView(games[row.number], {
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

// Navigation.

function content(place) {
  const numbers = (place.match(/\d+/g) ?? []).map(Number),
    within = (n) => n >= 1 && n <= teams.length;
  if (place.startsWith("team-") && within(numbers[0])) return teamPage(numbers[0] - 1);
  if (place.startsWith("pair-") && numbers.slice(0, 2).every(within) && numbers.length > 1)
    return pairPage(numbers[0] - 1, numbers[1] - 1);
  if (place.startsWith("game-") && games[numbers[0]] && byNumber.has(numbers[0]))
    return gamePage(byNumber.get(numbers[0]), within(numbers[1]) ? numbers[1] - 1 : null, numbers[2] ?? null);
  const team = place === "standings" ? report.only : (report.only ?? home);
  return team === null ? overview() : teamPage(team);
}

function show(first = false) {
  shownGame?.destroy();
  shownGame = null;
  const place = location.hash.slice(1);
  if (place === "main") return;
  const whose = el("p", { class: "whose soft small" }, `This page is ${report.whose}.`),
    notice = report.notice ? el("p", { class: "notice" }, report.notice) : null;
  main.replaceChildren(...[whose, notice, ...content(place)].filter(Boolean));
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
