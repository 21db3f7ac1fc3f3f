// The ladder as everybody sees it: the leaderboard, the latest games, the boards of now; for staff, how it goes.

import { cell, nameOf, rowHead, scaleOf, table, whisker } from "./parts.js";
import { clamp, el } from "./shapes.js";
import { ask, live, toast } from "./kit.js";
import { liveBoards } from "./liveboards.js";
import { ago, eloText, marginText, spanOf, trendMark } from "./ratings.js";

const QUEUE_SECONDS = 5;

export const teamAddress = (team) => `/ladder/team/${encodeURIComponent(team)}`;
export const replayAddress = (number, /** @type {Record<string, any>} */ more = {}) =>
  `/replay?${new URLSearchParams({ kept: "file", number, file: "0", name: "ladder", ...more })}`;
export const gameLink = (number) => el("a", { href: replayAddress(number) }, `game\u00a0${number}`);
export const teamLink = (name, look = "") => el("a", { href: teamAddress(name), class: look || null }, nameOf(name));
export const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** What everybody must read before anything else: {element, update(trouble)}; trouble: why games pause, "" if not. */
export function warnings({ secure, frozen, trouble: known }) {
  const element = el("div", { role: "alert" });
  let shown = /** @type {string | null} */ (null);
  function update(trouble) {
    if (trouble === shown) return;
    shown = trouble;
    const told = [
      secure
        ? null
        : "This page is not served by HTTPS: everybody on this network can read your link and what you upload. " +
          "Ask the staff to serve it by HTTPS.",
      frozen ? "This ladder is frozen: no versions are taken, and no games are played." : null,
      trouble ? `Games pause: ${trouble}` : null,
    ].filter(Boolean);
    element.hidden = !told.length;
    element.replaceChildren(...told.map((text) => el("p", { class: "notice" }, text)));
  }
  update(known);
  return { element, update };
}

export async function show(main) {
  const ladder = await ask("/api/ladder"),
    { audience, team } = ladder.you;
  const notices = warnings(ladder),
    boards = liveBoards(),
    board = el("div"),
    news = el("ol", { class: "feed" }),
    staff = el("section", { class: "stack", hidden: audience !== "staff", "aria-label": "For staff" });
  main.append(
    el(
      "div",
      { class: "page watching" },
      el(
        "div",
        { class: "row spread" },
        el(
          "header",
          {},
          el("h1", {}, "Ladder"),
          el("p", { class: "soft" }, `${ladder.title} · ${ladder.seconds} s a move · ratings in Elo`),
        ),
        team
          ? el("a", { class: "btn main", href: teamAddress(team) }, "Your team: ", nameOf(team))
          : audience === "public"
            ? el("a", { class: "btn", href: "/join" }, "Open your team's page")
            : null,
      ),
      notices.element,
      staff,
      el(
        "div",
        { class: "two" },
        el("section", {}, el("h2", {}, "Leaderboard"), board),
        el(
          "div",
          { class: "stack aside" },
          el("section", { "aria-label": "Games in progress" }, boards.element),
          el("section", {}, el("h2", {}, "Latest games"), news),
        ),
      ),
    ),
  );
  let shown = "";
  showBoard(ladder.board);
  live("/live/ladder", {
    told(seen) {
      if (seen.error) return toast(seen.error);
      notices.update(seen.trouble);
      showBoard(seen.board);
      if (seen.playing.length) boards.show(seen.playing); // else the last ones stay, and nothing below jumps
      news.replaceChildren(
        ...(seen.news.length ? seen.news.map(newsItem) : [el("li", { class: "soft" }, "No games yet.")]),
      );
      return null;
    },
  });
  if (audience === "staff") followQueue(staff);

  function showBoard(rows) {
    const now = JSON.stringify(rows);
    if (now === shown) return;
    shown = now;
    const rated = rows.filter(({ elo }) => elo !== null),
      elos = [...spanOf(rated), ...rated.map(({ elo }) => elo)],
      /** @type {[number, number]} */ range = [Math.min(...elos), Math.max(...elos)],
      x = scaleOf(...range),
      within = (/** @type {number} */ value) => x(clamp(value, ...range)),
      trends = rows.some(({ change }) => change !== null);
    board.replaceChildren(
      table(
        "Leaderboard",
        [
          "#",
          ["name", "Team"],
          "Rating",
          "95%",
          ["span wide-only", "Interval"],
          [trends ? "" : "none", "In a day"],
          ["wide-only", "Games"],
        ],
        rows.map((row) => boardRow(row, within, row.team === team, trends)),
        "leaders",
      ),
    );
  }
}

function boardRow(row, x, own, trends) {
  const { team, yardstick, version, elo, low, high, games, change, place, state, provisional } = row;
  const notes = [
    yardstick ? "yardstick" : version === null ? null : `version ${version}`,
    own ? "your team" : null,
    provisional && version !== null ? "placement games" : null,
    state === "plays" || (state === "no version" && yardstick) ? null : state,
  ].filter(Boolean);
  return el(
    "tr",
    { class: `${own ? "own" : ""} ${yardstick ? "yardstick" : ""}` },
    cell(place === null ? "" : String(place)),
    rowHead(el("span", {}, teamLink(team), el("span", { class: "notes soft small" }, notes.join(" · ")))),
    cell(eloText(elo), "elo"),
    cell(marginText(row), "soft"),
    cell(elo === null ? "" : whisker(x, [], { value: elo, low, high, label: intervalText(row) }), "span wide-only"),
    cell(trendMark(change, " in a day"), trends ? "" : "none"),
    cell(String(games), "wide-only"),
  );
}
const intervalText = ({ low, high }) => `from ${eloText(low)} to ${eloText(high)}`;

function newsItem(game) {
  const { first, second, winner } = game,
    names = [first, second];
  const text =
    winner === null
      ? [nameOf(first), " and ", nameOf(second), ": no line"]
      : [nameOf(names[winner]), " beat ", nameOf(names[1 - winner])];
  const how = game.fault ? `forfeit, ${game.reason}` : plural(game.plies, "move");
  return el(
    "li",
    {},
    el("b", {}, ...text),
    el("span", { class: "soft" }, ` ${how}, `, ago(game.finished), " "),
    gameLink(game.number),
  );
}

/** For staff: who waits, how fast games are played, whose bots fail. */
async function followQueue(place) {
  const list = el("div", { class: "facts card" }),
    faults = el("ol", { class: "feed" });
  place.append(el("h2", {}, "For staff"), list, faults);
  const look = async () => {
    if (document.hidden) return;
    const told = await ask("/api/ladder/queue").catch((error) => ({ error: error.message }));
    if (told.error) return list.replaceChildren(el("p", {}, told.error));
    const waiting = told.waiting.map(({ team, version, seconds }) =>
      el(
        "li",
        {},
        el("a", { href: `${teamAddress(team)}/version/${version}` }, nameOf(team), ` version ${version}`),
        ` ${Math.round(seconds)} s`,
      ),
    );
    const gate = told.gate_seconds;
    list.replaceChildren(
      fact("At the gate", waiting.length ? el("ul", {}, ...waiting) : "nobody"),
      fact("Placement games", told.placing.length ? told.placing.join(", ") : "nobody"),
      fact("Games", `${told.games}, ${told.games_per_minute} a minute in the last five`),
      fact(
        "A gate takes",
        gate ? `${Math.round(gate.median)} s, 95% within ${Math.round(gate.p95)} s` : "not known yet",
      ),
      fact("Machines", told.machines.map((one) => one.name ?? one).join(", ") || "none yet"),
    );
    faults.replaceChildren(
      ...told.faults.map(({ team, faults: count, game, latest }) =>
        el(
          "li",
          {},
          teamLink(team),
          ` ${plural(count, "fault")}, the last in `,
          gameLink(game),
          el("span", { class: "soft" }, ` ${latest}`),
        ),
      ),
    );
    return null;
  };
  await look();
  setInterval(look, 1000 * QUEUE_SECONDS);
}
const fact = (name, value) => el("div", {}, el("b", {}, name), el("div", {}, value));
