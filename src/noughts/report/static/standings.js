// The standings, the marks, results between teams, the pools of each stage, and excluded bots.

import { MEASURES, plural, rowHead, scaleOf, table, ticksOf, whisker } from "./parts.js";
import { axis, nameOf, note, percent, section } from "./tables.js";
import { players, report, stageName, teamLink, teams } from "./reportdata.js";
import { el } from "./shapes.js";

const FOLDED = 3;
const half = (score) => (score % 1 ? `${Math.floor(score) || ""}½` : String(score));

const ORDER_NOTES = {
  points: "Ordered by points",
  "points a game": "Ordered by points per game, since the numbers of games differ",
  "stage reached": "Ordered by the stage reached, the place in its pool, and points per game there",
  rating: "Ordered by rating",
};
const TIE_BREAKS = "; ties are broken by games won, points among tied teams, points conceded, and a random draw";

export function standings() {
  const rated = report.rated && teams.length > 1,
    order = MEASURES[report.ordered_by];
  const low = Math.min(...teams.map((team) => team.elo_low)),
    high = Math.max(...teams.map((team) => team.elo_high));
  const x = scaleOf(low, high),
    ticks = rated ? ticksOf(low, high, innerWidth < 760 ? 1.2 : 3) : [];
  const columns = [
    ["#", (_, i) => i + 1],
    [players, (team, i) => rowHead(nameOf(team, teamLink(i))), "name"],
    ["Won", ({ won }) => won, "wide"],
    ["Drawn", ({ drawn }) => drawn, "wide"],
    ["Lost", ({ lost }) => lost, "wide"],
    ["Points", ({ points }) => points],
    ...(order ? [order] : []),
    ...(teams.some(({ late }) => late) ? [["Late", ({ late }) => late.replace(/ late$/, ""), "wide"]] : []),
  ];
  if (rated) {
    const head = [el("span", { class: "hidden" }, "Elo with its 95% interval"), axis(x, ticks, signedElo)];
    const interval = (team) =>
      whisker(x, ticks, { value: team.elo, low: team.elo_low, high: team.elo_high, label: ratingText(team) });
    columns.push(
      [`Top ${report.top}`, ({ top }) => (top === null ? "" : percent(top)), "wide"],
      ["Elo", ({ elo }) => signedElo(elo)],
      [head, interval, "span"],
    );
  }
  const box = table("Table of standings", columns, teams, "standings", (_, i) => (report.own === i ? "own" : ""));
  const groups = new Set(teams.map((team) => team.component)).size;
  const breaksTies = report.format !== "match" && report.ordered_by?.startsWith("points");
  return section(
    "standings",
    "Standings",
    box,
    report.ordered_by && teams.length > 1
      ? note(`${ORDER_NOTES[report.ordered_by]}${breaksTies ? TIE_BREAKS : ""}.`)
      : null,
    rated
      ? note(
          "Bars are 95% intervals of the rating: if two overlap, the order of those teams is uncertain. " +
            `Top ${report.top}: the certainty that a team is among the first ${report.top}.`,
        )
      : null,
    rated && groups > 1
      ? note(
          `The teams fall into ${groups} groups that have not played each other; compare ratings only within a group.`,
        )
      : null,
    report.extra ? note(`By rating, after ${report.extra} additional games to make the first places certain.`) : null,
    report.slow
      ? note(
          `${report.slow.games} games were played on a machine at least 15% slower than usual` +
            `${report.slow.lost ? `; ${report.slow.lost} of them were lost on time` : ""}.`,
        )
      : null,
  );
}
const ratingText = ({ elo, elo_low, elo_high }) =>
  `Elo ${Math.round(elo)}, 95% between ${Math.round(elo_low)} and ${Math.round(elo_high)}`;
export const signedElo = (elo) => {
  const whole = Math.round(elo);
  return `${whole > 0 ? "+" : whole < 0 ? "−" : ""}${Math.abs(whole)}`;
};

/** Bots that did not pass the gate, folded because there may be many. */
export function excluded() {
  if (!report.out.length) return null;
  const out = report.out.filter(({ plays }) => !plays).length,
    warned = report.out.length - out;
  const title = [
    out ? `${out} ${out === 1 ? "bot is" : "bots are"} excluded` : null,
    warned ? `${warned} ${warned === 1 ? "plays" : "play"} with a warning of the check` : null,
  ];
  const line = (each) => el("li", {}, el("bdi", {}, each.name), ` ${each.fate}: ${each.reason}`);
  return el(
    "details",
    { class: "card pad excluded", open: report.out.length <= FOLDED },
    el("summary", {}, title.filter(Boolean).join(", ")),
    el("ul", { class: "small" }, ...report.out.map(line)),
  );
}

/** The marks by the format's rule, for audiences that may see them. */
export function marks() {
  if (!report.marks?.length) return null;
  const parts = report.marks[0].parts.map(({ name }) => name);
  const why = (mark) =>
    mark.parts.map(({ name, why: text }) => (parts.length > 1 ? `${name}: ${text}` : text)).join("; ");
  const columns = [
    ["Team", (mark) => rowHead(el("bdi", {}, mark.name)), "name"],
    [`Of ${report.marks[0].out_of}`, (mark) => mark.marks.toFixed(2), "sum"],
    ...parts.map((name, i) => [name, (mark) => mark.parts[i].marks.toFixed(2), "wide"]),
    ["Why", why, "words"],
  ];
  return section(
    "marks",
    "Marks",
    el(
      "details",
      { open: report.marks.length <= FOLDED },
      el("summary", {}, plural(report.marks.length, "team")),
      table("Marks", columns, report.marks, "stacked"),
    ),
    note("By the format's rule, without marks by thresholds or by hand, and in full for late bots."),
  );
}

/** The row's score against the column's in a cross table: a table cell that leads to their games. */
function crossCell({ score, played }, row, column, ours, theirs) {
  const games = played[row][column];
  if (ours === theirs && !games) return el("td", { class: "self", "aria-label": "itself" }, "·");
  if (!games) return el("td", {}, el("span", { class: "hidden" }, "have not played each other"));
  const text = half(score[row][column]),
    link = el(
      "a",
      {
        href: `#pair-${ours + 1}-${theirs + 1}`,
        class: "share",
        "aria-label": `${teams[ours].name} against ${teams[theirs].name}: ${text} of ${games}`,
      },
      text,
    );
  link.style.setProperty("--share", score[row][column] / games);
  return el("td", {}, link);
}

export function cross() {
  const counts = new Set(report.cross.played.flat().filter(Boolean));
  const columns = [
    ["#", (_, i) => i + 1],
    [players, (team) => rowHead(nameOf(team)), "name"],
    ...teams.map((_, j) => [String(j + 1), (_team, i) => crossCell(report.cross, i, j, i, j)]),
  ];
  return section(
    "cross",
    `Results between ${players.toLowerCase()}s`,
    table("Cross table", columns, teams, "cross"),
    note(
      `Games won by the row’s ${players.toLowerCase()} against the column’s; draws count half` +
        `${counts.size === 1 ? `, out of ${[...counts][0]}` : ""}. Each cell links to the games.`,
    ),
  );
}

/** A table for each pool, with who beat whom in it. */
export function stages() {
  if (report.stages.length < 2) return null;
  const order = [...new Set(report.stages.map(({ stage }) => stage))],
    alone = (stage) => report.stages.filter((each) => each.stage === stage).length === 1;
  const pool = ({ stage, pool, go_on, rows: table_, cross: found }) => {
    const names = table_.map(([team]) => team);
    const label = alone(stage) ? stageName(stage) : `${stageName(stage)}, pool ${pool}`;
    const columns = [
      ["#", (_, i) => i + 1],
      ["Team", ([team]) => rowHead(nameOf(teams[team], teamLink(team))), "name"],
      ["Points", ([, points]) => el("td", { class: "sum" }, points)],
      ...names.map((other, j) => [String(j + 1), ([team], i) => crossCell(found, i, j, team, other)]),
    ];
    const look = (_, i) => (go_on === i + 1 && go_on < names.length ? "last-in" : "");
    return el("div", { class: "pool" }, el("h3", {}, label), table(label, columns, table_, "cross", look));
  };
  return section(
    "stages",
    "Stages",
    ...order.map((stage) =>
      el("div", { class: "pools" }, ...report.stages.filter((each) => each.stage === stage).map(pool)),
    ),
    note("Games won by the row’s team against the column’s; draws count half. Each cell links to the games."),
    report.stages.some(({ go_on }) => go_on) ? note("Teams above the line qualify for the next stage.") : null,
  );
}
