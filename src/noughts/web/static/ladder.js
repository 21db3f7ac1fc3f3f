// The public page of a ladder: the leaderboard, the latest games, the boards in play.

import { changes, nameOf, outcomeOf, plural, rowHead, scaleOf, table, whisker } from "./parts.js";
import { clamp, el } from "./shapes.js";
import { ask, live, toast } from "./kit.js";
import { liveBoards } from "./liveboards.js";
import { clockLine } from "./deadline.js";
import { ago, eloText, marginText, spanOf, trendMark } from "./ratings.js";

export const LEADERBOARD = [["/ladder", "Leaderboard"]];
export const teamAddress = (team) => `/ladder/team/${encodeURIComponent(team)}`;
export const replayAddress = (number, /** @type {Record<string, any>} */ more = {}) =>
  `/replay?${new URLSearchParams({ kept: "file", number, file: "0", name: "ladder", ...more })}`;
export const gameLink = (number) => el("a", { href: replayAddress(number) }, `game\u00a0${number}`);
export const teamLink = (name, look = "") => el("a", { href: teamAddress(name), class: look || null }, nameOf(name));

/** A note below the text of a cell. */
export const noteOf = (text) => el("span", { class: "notes soft small" }, text);

/** The head of each page of a ladder, with its clock and urgent notices: {parts, isOpen(), update(now)}. */
export function ladderHead(ladder, title, under, ...links) {
  const warned = warnings(ladder),
    clock = clockLine(ladder),
    header = el("header", {}, el("h1", {}, title), el("p", { class: "soft" }, under), clock.element);
  return {
    parts: [el("div", { class: "row spread" }, header, ...links), warned.element],
    isOpen: clock.isOpen,
    update(now) {
      warned.update(now);
      clock.update(now);
    },
  };
}

/** Urgent notices: {element, update({trouble, frozen})}; trouble: why games pause. */
function warnings(/** @type {any} */ { secure, ...known }) {
  const element = el("div", { role: "alert" }),
    changed = changes();
  function update({ trouble, frozen }) {
    if (!changed([trouble, frozen])) return;
    const notices = [
      secure
        ? null
        : "This page is not served over HTTPS: others on this network can read your link and your uploads. " +
          "Ask the staff to serve it over HTTPS.",
      frozen ? "This ladder is frozen: uploads are closed and no games are played." : null,
      trouble ? `Games pause: ${trouble}` : null,
    ].filter(Boolean);
    element.hidden = !notices.length;
    element.replaceChildren(...notices.map((text) => el("p", { class: "notice" }, text)));
  }
  update(known);
  return { element, update };
}

export async function show(main) {
  const ladder = await ask("/api/ladder"),
    { audience, team } = ladder.you;
  const page = team
    ? el("a", { class: "btn main", href: teamAddress(team) }, "Your team: ", nameOf(team))
    : audience === "public"
      ? el("a", { class: "btn", href: "/join" }, "Open your team's page")
      : el("a", { class: "btn main", href: "/ladder/staff" }, "Staff");
  const under = `${ladder.title} · ${ladder.seconds} s per move · ratings in Elo`,
    head = ladderHead(ladder, "Ladder", under, page),
    boards = liveBoards(),
    board = el("div"),
    news = el("ol", { class: "feed" });
  main.append(
    el(
      "div",
      { class: "page watching" },
      ...head.parts,
      el(
        "div",
        { class: "two" },
        el("section", {}, el("h2", {}, "Leaderboard"), hiddenNames(ladder), board),
        el(
          "div",
          { class: "stack aside" },
          el("section", { "aria-label": "Games in progress" }, boards.element),
          el("section", {}, el("h2", {}, "Latest games"), news),
        ),
      ),
    ),
  );
  const changed = changes();
  showBoard(ladder.board);
  live("/live/ladder", {
    received(seen) {
      if (seen.error) return toast(seen.error);
      head.update(seen);
      showBoard(seen.board);
      if (seen.playing.length) boards.show(seen.playing); // else the last ones stay, and nothing below jumps
      news.replaceChildren(
        ...(seen.news.length ? seen.news.map(newsItem) : [el("li", { class: "soft" }, "No games yet.")]),
      );
      return null;
    },
  });
  function showBoard(rows) {
    if (!changed(rows)) return;
    const rated = rows.filter(({ elo }) => elo !== null),
      elos = [...spanOf(rated), ...rated.map(({ elo }) => elo)],
      /** @type {[number, number]} */ range = [Math.min(...elos), Math.max(...elos)],
      x = scaleOf(...range),
      within = (/** @type {number} */ value) => x(clamp(value, ...range)),
      trends = rows.some(({ change }) => change !== null);
    const own = (row) => row.team === team;
    const columns = [
      ["#", (row) => row.place],
      ["Team", (row) => rowHead(nameAndNotes(row, own(row))), "name"],
      ["Rating", (row) => eloText(row.elo), "elo"],
      ["95%", marginText, "soft"],
      ["Interval", (row) => (row.elo === null ? "" : intervalOf(row, within)), "span wide-only"],
      ["24 hours", (row) => trendMark(row.change, " in 24 hours"), trends ? "" : "none"],
      ["Games", (row) => row.games, "wide-only"],
    ];
    const look = (row) => `${own(row) ? "own" : ""} ${row.yardstick ? "yardstick" : ""}`;
    board.replaceChildren(table("Leaderboard", columns, rows, "leaders", look));
  }
}

/** The note above a leaderboard with pseudonyms. */
function hiddenNames({ pseudonyms, teams, you }) {
  if (!pseudonyms) return null;
  const text = {
    staff: "Teams see only their neighbours, by pseudonyms. You see all teams.",
    team: `You see your place among ${teams} teams, and your neighbours by pseudonyms. They see your pseudonym.`,
    public: `${plural(teams, "ranked team")}. Each sees its own place and its neighbours, by pseudonyms.`,
  };
  return el("p", { class: "soft small" }, text[you.audience]);
}

function nameAndNotes({ team, alias, page, yardstick, version, state, provisional }, own) {
  const notes = [
    yardstick ? "yardstick" : version === null ? null : `version ${version}`,
    own ? "your team" : null,
    alias ? `shown to others as ${alias}` : null,
    provisional && version !== null ? "placement games" : null,
    state === "plays" || (state === "no version" && yardstick) ? null : state,
  ].filter(Boolean);
  return el("span", {}, page ? teamLink(team) : nameOf(team), noteOf(notes.join(" · ")));
}
const intervalOf = ({ elo, low, high }, x) =>
  whisker(x, [], { value: elo, low, high, label: `from ${eloText(low)} to ${eloText(high)}` });

function newsItem(game) {
  const how = game.fault ? `forfeit, ${game.reason}` : plural(game.plies, "move");
  return el(
    "li",
    {},
    outcomeOf(game),
    el("span", { class: "soft" }, ` ${how}, `, ago(game.finished), " "),
    gameLink(game.number),
  );
}
