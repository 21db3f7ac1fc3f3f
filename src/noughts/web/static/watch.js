// Live tournaments and matches.

import { cell, MEASURES, nameOf, outcomeOf, plainTable, rowHead, scaleOf, scrollBox, whisker } from "./parts.js";
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
    standings = scrollBox("Standings", "card"),
    cross = scrollBox("Cross table", "");
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
        el("section", {}, el("h2", {}, "Standings"), standings),
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
    return el(
      "li",
      {},
      outcomeOf(result),
      el("span", { class: "soft" }, ` ${result.fault ? `forfeit, ${result.reason}` : `${result.plies} moves`} `),
      game(result),
    );
  }

  /** The measure of the order has its own column, unless it is points. */
  function showTable(rows, orderedBy) {
    const measure = MEASURES[orderedBy],
      rated = rows.filter(({ elo }) => elo !== undefined),
      x = scaleOf(Math.min(...rated.map((row) => row.elo_low)), Math.max(...rated.map((row) => row.elo_high)));
    const heads = [
      "#",
      ["name", "Name"],
      ["wide-only", "Games"],
      "Won",
      ["wide-only", "Drawn"],
      ["wide-only", "Lost"],
      "Points",
      ...(measure ? [measure[0]] : []),
      ...(rated.length ? ["Rating", ["span wide-only", "95% interval"]] : []),
    ];
    const line = (row) =>
      el(
        "tr",
        {},
        cell(String(row.place)),
        rowHead(nameOf(row.name)),
        cell(String(row.games), "wide-only"),
        cell(String(row.won)),
        cell(String(row.drawn), "wide-only"),
        cell(String(row.lost), "wide-only"),
        cell(String(row.points)),
        measure ? cell(measure[1](row)) : null,
        ...(rated.length ? rating(row, x) : []),
      );
    standings.replaceChildren(plainTable(heads, rows.map(line)));
  }

  function rating({ elo, elo_low: low, elo_high: high }, x) {
    if (elo === undefined) return [cell(""), cell("", "span wide-only")];
    const label = `from ${Math.round(low)} to ${Math.round(high)}`;
    return [cell(String(Math.round(elo))), cell(whisker(x, [], { value: elo, low, high, label }), "span wide-only")];
  }

  function showCross(tables) {
    cross.closest("section").hidden = !tables.length;
    cross.replaceChildren(...tables.map(crossTable));
  }

  function crossTable(group) {
    const { title, names, go_on: last, score, played } = group;
    const line = (name, i) =>
      el(
        "tr",
        { class: last === i + 1 && last < names.length ? "last-in" : "" },
        cell(String(i + 1)),
        rowHead(nameOf(name)),
        ...played[i].map((games, j) => {
          const box = cell(i === j ? "·" : games ? String(score[i][j]) : "");
          box.style.setProperty("--share", games ? score[i][j] / games : 0);
          return box;
        }),
      );
    const found = plainTable(["#", ["name", "Name"], ...names.map((_, i) => String(i + 1))], names.map(line), "cross");
    if (title) found.prepend(el("caption", {}, title, last ? `: ${last} qualify` : null));
    return found;
  }
}
