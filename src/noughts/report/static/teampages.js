// The games of one team, of two, or of all: why they were lost, and positions to study.

import { create } from "./board.js";
import { leadOf, REASONS } from "./game.js";
import { rowHead, table } from "./parts.js";
import { linked, nameOf, percent, section } from "./tables.js";
import { viewAt } from "./frames.js";
import { mistakesOf } from "./review.js";
import { faults } from "./gamefacts.js";
import { byNumber, gameLink, games, report, resultOf, rows, standingsLink, teamLink, teams } from "./reportdata.js";
import { signedElo } from "./standings.js";
import { el } from "./shapes.js";

export function gameList() {
  if (report.format !== "match") return null;
  return section("games", "Games", gameTable(rows, null));
}

function gameTable(list, team) {
  const seatOf = (row) => (team === null || row.seats[0] === team ? 0 : 1),
    outcome = (row) => resultOf(row, seatOf(row)),
    name = (row, seat) => nameOf(teams[row.seats[seat]]);
  const who = (row) =>
    team === null
      ? el("span", {}, name(row, 0), " – ", name(row, 1))
      : el("div", {}, name(row, 1 - seatOf(row)), outcome(row) === "lost" ? why(row, team) : null);
  const number = (row) => linked(String(row.number), gameLink(row, team), { "aria-label": `game ${row.number}` });
  const result = (row) =>
    `${team === null ? "" : `${outcome(row)} `}${row.points[seatOf(row)]} : ${row.points[1 - seatOf(row)]}`;
  const columns = [
    ["Game", number],
    [team === null ? "Players" : "Against", (row) => rowHead(who(row)), "name"],
    [team === null ? "" : "Moved", (row) => (team === null ? "" : ["first", "second"][seatOf(row)]), "wide left"],
    ["Result", result, "left"],
    ["End", (row) => REASONS[row.reason] ?? row.reason, "left"],
    ["Moves", (row) => row.moves, "wide"],
    ["Decided by", (row) => decisiveOf(row, team), "wide left"],
  ];
  return table("Games", columns, list);
}

/** A sentence on why a game was lost, if it was reviewed. */
const why = (row, team) =>
  games[row.number]?.values
    ? el(
        "p",
        { class: "soft small sentence" },
        leadOf(
          games[row.number],
          row.seats.map((i) => (i === team ? "It" : teams[i].name)),
        ),
      )
    : null;

function decisiveOf(row, team) {
  const found = games[row.number]?.mistakes?.find((mistake) => mistake[7]);
  return !found || (team !== null && resultOf(row, row.seats.indexOf(team)) !== "lost")
    ? ""
    : `move ${found[0] + 1}, −${(found[3] / 1000).toFixed(2)}`;
}

export function teamPage(i) {
  const team = teams[i],
    list = rows.filter((row) => row.seats.includes(i)),
    sentences = report.patterns[i];
  const lost = list.filter((row) => resultOf(row, row.seats.indexOf(i)) === "lost"),
    rest = list.filter((row) => !lost.includes(row)),
    reviewed = lost.filter((row) => row.reviewed).length;
  const time = report.times[i];
  return [
    el(
      "header",
      { class: "title" },
      el("p", { class: "small" }, el("a", { href: standingsLink }, "Standings")),
      el("h1", {}, nameOf(team)),
      el(
        "p",
        { class: "soft" },
        [
          `place ${i + 1} of ${teams.length}`,
          `${team.won} won, ${team.drawn} drawn, ${team.lost} lost`,
          `${team.points} points`,
          team.late,
          report.rated
            ? `Elo ${signedElo(team.elo)} (${signedElo(team.elo_low)} to ${signedElo(team.elo_high)})`
            : null,
          reviewed < lost.length ? `${reviewed} of ${lost.length} losses reviewed` : null,
          time?.share ? `${percent(time.share)} of its time used` : null,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    sentences.length
      ? section(
          "why",
          "Patterns in its games",
          el("ul", { class: "card pad said-list" }, ...sentences.map((sentence) => el("li", {}, sentence))),
        )
      : null,
    puzzles(i),
    faults(i),
    lost.length ? section("lost", `Lost (${lost.length})`, gameTable(lost, i)) : null,
    rest.length ? section("rest", `Won and drawn (${rest.length})`, gameTable(rest, i)) : null,
  ];
}

/** The positions that a team should study, as `noughts report --puzzles` writes them. */
function puzzles(i) {
  const found = (report.puzzles?.[i] ?? []).filter(([number]) => games[number]);
  if (!found.length) return null;
  const tile = ([number, ply]) => {
    const record = games[number],
      mistake = mistakesOf(record).find(({ n }) => n === ply + 1),
      picture = el("div", { class: "picture" });
    create(picture, { mode: "picture", numbers: false }).show(viewAt(record, ply));
    const words = mistake ? `${mistake.text} gave away ${mistake.loss.toFixed(2)}; better: ${mistake.line[0]}` : "";
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
    "Positions to study",
    el("ul", { class: "positions" }, ...found.map(tile)),
    el(
      "p",
      { class: "soft small under" },
      "What would you play? Each position links to its game. ",
      el("code", {}, "noughts check BOT.py --positions FILE"),
      " tests a bot on all of them.",
    ),
  );
}

export function pairPage(i, j) {
  const list = rows.filter((row) => row.seats.includes(i) && row.seats.includes(j));
  return [
    el(
      "header",
      { class: "title" },
      el("p", { class: "small" }, el("a", { href: standingsLink }, "Standings")),
      el("h1", {}, nameOf(teams[i], teamLink(i)), " against ", nameOf(teams[j], teamLink(j))),
    ),
    gameTable(list, null),
  ];
}
