// Facts about the games: their ends, the moves that turned them, times, and faults.

import { leadOf, REASONS, secondsText } from "./game.js";
import { rowHead, table } from "./parts.js";
import { bar, linked, nameOf, note, percent, section, timeStrip } from "./tables.js";
import { byNumber, gameLink, games, report, rows, teamLink, teams } from "./reportdata.js";
import { el } from "./shapes.js";

const TURNED = 6;

/** The games with the largest turn in one move. */
export function turned() {
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
          games[row.number],
          row.seats.map((i) => teams[i].name),
        ),
      ),
    );
  return section(
    "turned",
    "Games decided by one move",
    el("ul", { class: "card pad turned" }, ...worst.map(line)),
    note("The loss of expected result by the move; 1 is a win and −1 a loss."),
  );
}

export function endings() {
  const parts = report.endings.map(([reason, count]) => ({ text: REASONS[reason] ?? reason, count }));
  return parts.length ? section("endings", "How games ended", el("div", { class: "card pad" }, bar(parts))) : null;
}

export function times() {
  if (!report.times.some(Boolean) || !report.limit) return null;
  const timed = teams.flatMap((team, i) => (report.times[i] ? [{ team, i, time: report.times[i] }] : []));
  const strip = ({ time: { quantiles } }) => {
    const [least, quarter, , three, , most] = quantiles.map(secondsText);
    return timeStrip(quantiles, report.limit, `from ${least} to ${most}, half of them between ${quarter} and ${three}`);
  };
  const columns = [
    ["Team", ({ team, i }) => rowHead(nameOf(team, teamLink(i))), "name"],
    ["Median", ({ time }) => secondsText(time.quantiles[2])],
    ["95% within", ({ time }) => secondsText(time.quantiles[4]), "wide"],
    ["Longest", ({ time }) => secondsText(time.quantiles[5])],
    ["Time used", ({ time }) => percent(time.share)],
    [`1 ms to ${secondsText(report.limit)}`, strip, "span"],
  ];
  return section(
    "times",
    "Time per move",
    table("Times", columns, timed, "times"),
    note("Thick: the middle half of the moves; thin: the whole range; " + "logarithmic scale up to the limit."),
  );
}

export function faults(only = null) {
  const listed = report.faults.filter(({ team }) => only === null || team === only);
  if (!listed.length) return null;
  const links = ({ games: numbers, count }) => [
    ...numbers.flatMap((number) => [linked(String(number), gameLink(byNumber.get(number), only)), " "]),
    count > numbers.length ? `and ${count - numbers.length} more` : null,
  ];
  /** @type {any[][]} */
  const columns = [
    ["What", ({ kind }) => REASONS[kind] ?? kind, "left"],
    ["Said", ({ text }) => text, "words"],
    ["Games", ({ count }) => count],
    ["See", links, "left games"],
  ];
  if (only === null) columns.unshift(["Team", ({ team }) => rowHead(nameOf(teams[team], teamLink(team))), "name"]);
  return section("faults", "Faults", table("Faults", columns, listed, "stacked"));
}
