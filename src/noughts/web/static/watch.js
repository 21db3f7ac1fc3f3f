// Live tournaments and matches.

import { nameOf, scaleOf, whisker } from "./parts.js";
import { el } from "./shapes.js";
import { ask, choice, live } from "./kit.js";
import { liveBoards } from "./liveboards.js";

export async function show(main) {
  const all = await ask("/api/tournaments"),
    wanted = new URLSearchParams(location.search);
  if (!all.length) {
    main.append(
      el(
        "div",
        { class: "page" },
        el("h1", {}, "Watch"),
        el("p", {}, "No games are in progress. Open a tournament file with "),
        el("p", {}, el("code", {}, "noughts serve --file class.noughts")),
        el("p", {}, "while another terminal plays the tournament with "),
        el("p", {}, el("code", {}, "noughts tournament run bots/ --game extreme --file class.noughts --page")),
        el("p", { class: "soft" }, "or watch a match: ", el("code", {}, "noughts match A B --game extreme --watch")),
      ),
    );
    return;
  }
  const key = (one) => `${one.file} ${one.name}`;
  let one = all.find((each) => String(each.file) === wanted.get("file") && each.name === wanted.get("name")) ?? all[0],
    /** @type {any} */ link = null;
  const title = el("h1", {}, one.name),
    under = el("p", { class: "soft" }),
    notice = el("p", { class: "notice", hidden: true }),
    bar = el("progress", { max: 1, value: 0, "aria-label": "Games played" });
  const boards = liveBoards(),
    table = el("tbody"),
    cross = el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cross table" });
  const news = el("ol", { class: "feed", "aria-live": "polite" }),
    faults = el("ol", { class: "feed" });
  const pick = choice(
    "Tournament",
    all.map((each) => [key(each), each.name]),
    {
      value: key(one),
      changed(value) {
        one = all.find((each) => key(each) === value);
        open();
      },
    },
  );
  const by = el("th", { scope: "col" }, "Per game");
  const heads = ["#", "Name", "Games", "Won", "Drawn", "Lost", "Points", "Rating"].map((text) =>
    el(
      "th",
      { scope: "col", class: text === "Name" ? "name" : ["Drawn", "Games", "Lost"].includes(text) ? "wide-only" : "" },
      text,
    ),
  );
  const axis = el("th", { class: "span wide-only", scope: "col" }, "95% interval");
  main.append(
    el(
      "div",
      { class: "page watching" },
      el("header", { class: "row spread" }, el("div", {}, title, under, notice), all.length > 1 ? pick.element : null),
      bar,
      el("section", { "aria-label": "Games in progress" }, boards.element),
      el(
        "div",
        { class: "two" },
        el(
          "section",
          {},
          el("h2", {}, "Standings"),
          el(
            "div",
            { class: "card scroll", tabindex: 0, role: "region", "aria-label": "Standings" },
            el("table", {}, el("thead", {}, el("tr", {}, ...heads.slice(0, -1), by, heads.at(-1), axis)), table),
          ),
        ),
        el("section", { class: "stack" }, el("h2", {}, "Latest results"), news, el("h2", {}, "Faults"), faults),
      ),
      el("section", {}, el("h2", {}, "Results between players"), el("div", { class: "card" }, cross)),
    ),
  );
  open();

  function open() {
    link?.close();
    boards.clear();
    title.textContent = one.name;
    history.replaceState(null, "", `/watch?${new URLSearchParams({ file: one.file, name: one.name })}`);
    link = live(`/live/watch/${one.file}?${new URLSearchParams({ name: one.name })}`, {
      received: update,
    });
  }

  function update(seen) {
    if (seen.error) {
      under.textContent = seen.error;
      return null;
    }
    if (seen.board) return location.replace("/ladder");
    const { games, of } = seen.status,
      over = of > 0 && games >= of;
    const live = seen.playing.length ? ` · ${seen.playing.length} in progress` : "";
    under.textContent = `${seen.title} · ${games} of ${of} games${over ? ", finished" : ""}${live}`;
    notice.textContent = seen.notice;
    notice.hidden = !seen.notice;
    bar.value = of ? games / of : 0;
    boards.show(seen.playing);
    showTable(seen.table, seen.ordered_by);
    showCross(seen.cross);
    news.replaceChildren(...seen.news.map(item));
    faults.replaceChildren(
      ...(seen.faults.length
        ? seen.faults.map((fault) =>
            el(
              "li",
              {},
              el("b", {}, nameOf(fault.faulty === 0 ? fault.first : fault.second)),
              ` ${fault.fault} `,
              game(fault),
            ),
          )
        : [el("li", { class: "soft" }, "None.")]),
    );
    return null;
  }

  const game = ({ number }) =>
    el(
      "a",
      { href: `/replay?${new URLSearchParams({ kept: "file", number, file: one.file, name: one.name })}` },
      `game\u00a0${number}`,
    );
  function item(result) {
    const { first, second, winner } = result,
      names = [first, second];
    const text =
      winner === null
        ? [nameOf(first), " and ", nameOf(second), ": no line"]
        : [nameOf(names[winner]), " beat ", nameOf(names[1 - winner])];
    return el(
      "li",
      {},
      el("b", {}, ...text),
      el("span", { class: "soft" }, ` ${result.fault ? `forfeit, ${result.reason}` : `${result.plies} moves`} `),
      game(result),
    );
  }

  /** The measure of the order has its own column, unless it is points. */
  function showTable(rows, orderedBy) {
    const staged = orderedBy === "stage reached",
      order = (row) => (staged ? (row.reached ?? "") : row.points_per_game.toFixed(2));
    by.hidden = !staged && orderedBy !== "points a game";
    by.textContent = staged ? "Reached" : "Per game";
    const rated = rows.filter(({ elo }) => elo !== undefined),
      low = Math.min(...rated.map((row) => row.elo_low)),
      high = Math.max(...rated.map((row) => row.elo_high));
    axis.hidden = heads[heads.length - 1].hidden = !rated.length;
    table.replaceChildren(
      ...rows.map((row) =>
        el(
          "tr",
          {},
          el("td", {}, String(row.place)),
          el("th", { class: "name", scope: "row" }, nameOf(row.name)),
          ...["games", "won", "drawn", "lost", "points"].map((name) =>
            el("td", { class: ["games", "drawn", "lost"].includes(name) ? "wide-only" : "" }, String(row[name])),
          ),
          by.hidden ? null : el("td", {}, order(row)),
          ...(rated.length ? rating(row, scaleOf(low, high)) : []),
        ),
      ),
    );
  }

  function rating({ elo, elo_low: low, elo_high: high }, x) {
    if (elo === undefined) return [el("td"), el("td", { class: "span wide-only" })];
    const label = `from ${Math.round(low)} to ${Math.round(high)}`;
    return [
      el("td", {}, String(Math.round(elo))),
      el("td", { class: "span wide-only" }, whisker(x, [], { value: elo, low, high, label })),
    ];
  }

  function showCross(tables) {
    cross.closest("section").hidden = !tables.length;
    cross.replaceChildren(...tables.map(crossTable));
  }

  function crossTable(group) {
    const head = el(
      "tr",
      {},
      el("th", { scope: "col" }, "#"),
      el("th", { class: "name", scope: "col" }, "Name"),
      ...group.names.map((_, i) => el("th", { scope: "col" }, String(i + 1))),
    );
    const body = group.names.map((name, i) =>
      el(
        "tr",
        { class: group.go_on === i + 1 && i + 1 < group.names.length ? "last-in" : "" },
        el("td", {}, String(i + 1)),
        el("th", { class: "name", scope: "row" }, nameOf(name)),
        ...group.score[i].map((score, j) => {
          const cell = el("td", {}, i === j ? "·" : group.played[i][j] ? String(score) : "");
          cell.style.setProperty("--share", group.played[i][j] ? score / group.played[i][j] : 0);
          return cell;
        }),
      ),
    );
    return el(
      "table",
      { class: "cross" },
      group.title ? el("caption", {}, group.title, group.go_on ? `: ${group.go_on} qualify` : null) : null,
      el("thead", {}, head),
      el("tbody", {}, ...body),
    );
  }
}
