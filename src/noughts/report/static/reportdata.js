// The report's data: games as rows, the pages of teams and games, and links to them.

import { unpacked } from "./game.js";
import { byId } from "./shapes.js";

export const report = JSON.parse(byId("data-head").textContent);
const found = await unpacked("games");
/** Recorded games by number. */
export const games = Object.fromEntries(
  Object.entries(found.games).map(([number, game]) => [number, { ...found.tables, ...game }]),
);
export const teams = report.teams;
export const players = report.format === "match" ? "Player" : "Team";
export const rows = report.games.map(
  ([number, stage, pool, round, first, second, p0, p1, reason, faulty, moves, reviewed]) => ({
    number,
    stage,
    pool,
    round,
    seats: [first, second],
    points: [p0, p1],
    reason,
    faulty,
    moves,
    reviewed,
  }),
);
export const byNumber = new Map(rows.map((row) => [row.number, row]));
export const stageName = (stage) => (stage === "group" ? "Group stage" : stage[0].toUpperCase() + stage.slice(1));

/** The address of the standings. A page for one team opens on that team. */
export const home = report.folder ? null : report.own;
export const standingsLink = report.folder ? "index.html" : home === null ? "#" : "#standings";
export const teamLink = (i) =>
  report.folder && report.only !== i
    ? report.pages[i] && rows.some((row) => row.seats.includes(i))
      ? `${report.pages[i]}#team-${i + 1}`
      : null
    : `#team-${i + 1}`;
export function gameLink(row, team = null) {
  const own = `#game-${row.number}${team === null ? "" : `-team-${team + 1}`}`;
  if (games[row.number]) return own;
  const page = report.folder && (report.pages[team ?? row.seats[0]] ?? null);
  return page ? `${page}${own}` : null;
}
export const resultOf = (row, seat) => ["lost", "drawn", "won"][1 + Math.sign(row.points[seat] - row.points[1 - seat])];
