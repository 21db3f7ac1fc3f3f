// Live tournaments and matches.

import { MEASURES, nameOf, outcomeOf, plainTable, rowHead, scaleOf, scrollBox, whisker } from "./parts.js";
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
    const interval = ({ elo, elo_low: low, elo_high: high }) =>
      whisker(x, [], { value: elo, low, high, label: `from ${Math.round(low)} to ${Math.round(high)}` });
    const columns = [
      ["#", (row) => row.place],
      ["Name", (row) => rowHead(nameOf(row.name)), "name"],
      ["Games", (row) => row.games, "wide-only"],
      ["Won", (row) => row.won],
      ["Drawn", (row) => row.drawn, "wide-only"],
      ["Lost", (row) => row.lost, "wide-only"],
      ["Points", (row) => row.points],
      ...(measure ? [measure] : []),
    ];
    if (rated.length)
      columns.push(
        ["Rating", (row) => (row.elo === undefined ? "" : Math.round(row.elo))],
        ["95% interval", (row) => (row.elo === undefined ? "" : interval(row)), "span wide-only"],
      );
    standings.replaceChildren(plainTable(columns, rows));
  }

  function showCross(tables) {
    cross.closest("section").hidden = !tables.length;
    cross.replaceChildren(...tables.map(crossTable));
  }

  function crossTable(group) {
    const { title, names, go_on: last, score, played } = group;
    const share = (i, j) => {
      const games = played[i][j],
        box = el("td", {}, i === j ? "·" : games ? String(score[i][j]) : "");
      box.style.setProperty("--share", games ? score[i][j] / games : 0);
      return box;
    };
    const columns = [
      ["#", (_, i) => i + 1],
      ["Name", (name) => rowHead(nameOf(name)), "name"],
      ...names.map((_, j) => [String(j + 1), (_name, i) => share(i, j)]),
    ];
    const found = plainTable(columns, names, "cross", (_, i) =>
      last === i + 1 && last < names.length ? "last-in" : "",
    );
    if (title) found.prepend(el("caption", {}, title, last ? `: ${last} qualify` : null));
    return found;
  }
}
