// The boards of games in progress, as tiles that keep their places.

import { create } from "./board.js";
import { nameOf, sign } from "./parts.js";
import { el } from "./shapes.js";

/** {element, show(playing), clear()}; playing: [{number, players, moves, view}]. */
export function liveBoards() {
  const element = el("div", { class: "boards" }),
    tiles = new Map();

  /** A game in progress. A click enlarges it to the page, or shrinks it; a single game is large. */
  function makeTile({ number, players, view }) {
    const picture = el("button", { type: "button", class: "picture", "aria-label": `Enlarge game ${number}` }),
      state = el("p", { class: "soft small" });
    const heads = [0, 1].map((player) =>
      el("p", { class: "who" }, sign(view.shape, player), el("b", {}, nameOf(players[player]))),
    );
    const node = el("article", { class: `card tile ${view.shape.boards > 1 ? "big" : ""}` }, ...heads, picture, state);
    element.append(node);
    picture.addEventListener("click", () => node.classList.toggle("large"));
    return { node, state, heads, board: create(picture, { mode: "picture", numbers: false }) };
  }

  function show(playing) {
    element.classList.toggle("alone", playing.length === 1);
    for (const [number, tile] of tiles)
      if (!playing.some((each) => each.number === number)) {
        tile.node.remove();
        tiles.delete(number);
      }
    for (const each of playing) {
      if (!tiles.has(each.number)) tiles.set(each.number, makeTile(each));
      const tile = tiles.get(each.number);
      tile.board.show(each.view);
      tile.state.textContent = `Game ${each.number}, move ${each.moves}`;
      tile.heads.forEach((head, player) => {
        head.classList.toggle("turn", each.view.player === player);
      });
    }
  }
  return { element, show, clear: () => show([]) };
}
