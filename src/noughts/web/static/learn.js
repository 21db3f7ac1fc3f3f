// The rules of a game in a few pictures.

import { create } from "./board.js";
import { el } from "./shapes.js";
import { ask, head } from "./kit.js";

export async function show(main) {
  const wanted = new URLSearchParams(location.search).get("game");
  const games = await ask("/api/games"),
    game = games.find(({ name }) => name === wanted) ?? games[0];
  const lessons = await ask(`/api/games/${game.name}/lessons`);
  const items = lessons.map(({ title, text, view }) => {
    const picture = el("div", { class: "picture" });
    return { picture, view, node: el("li", { class: "card lesson" }, picture, el("h2", {}, title), el("p", {}, text)) };
  });
  main.append(
    el(
      "div",
      { class: "page" },
      head(game.title, game.summary),
      el("ol", { class: `lessons ${game.shape.boards > 1 ? "wide" : ""}` }, ...items.map(({ node }) => node)),
      el(
        "p",
        { class: "row" },
        el("a", { class: "btn main", href: `/?game=${game.name}` }, "Play it"),
        ...games
          .filter((each) => each !== game)
          .map((each) =>
            el("a", { class: "btn", href: `/learn?game=${each.name}` }, each.title.replace(" Tic-Tac-Toe", "")),
          ),
      ),
    ),
  );
  for (const { picture, view } of items) create(picture, { mode: "picture", numbers: false }).show(view);
}
