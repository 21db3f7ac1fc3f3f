// Sections, links and small pictures of a report. Names and other texts are inserted as text, not markup.

import { nameOf as playerName, scaleOf, whisker } from "./parts.js";
import { clamp, el, svg } from "./shapes.js";

const LEAST_SECONDS = 0.001; // of a move, in pictures

export const section = (id, title, ...children) =>
  el("section", { "aria-labelledby": `h-${id}`, class: `part-${id}` }, el("h2", { id: `h-${id}` }, title), ...children);
export const note = (text) => el("p", { class: "soft small under" }, text);
export const linked = (text, href, more = {}) => (href ? el("a", { href, ...more }, text) : el("span", {}, text));

/** A name of any length and writing direction, as a link if it has a page. */
export function nameOf(team, /** @type {string | null} */ href = null) {
  const name = playerName(team.name, "team-name");
  return el(
    "span",
    {},
    href ? el("a", { href }, name) : name,
    team.staff ? el("span", { class: "soft small" }, " staff") : null,
  );
}

/** A share in percent; only 0 is shown as 0%, and only 1 as 100%. */
export const percent = (share) =>
  share > 0 && share < 0.01 ? "<1%" : share < 1 && share > 0.99 ? ">99%" : `${Math.round(100 * share)}%`;

export function axis(x, ticks, text = (/** @type {any} */ value) => String(value)) {
  const picture = svg("svg", { class: "whisker", "aria-hidden": "true" });
  for (const tick of ticks) svg("text", { x: x(tick), y: 14 }, picture).textContent = text(tick);
  return picture;
}

/** A bar of parts with a key below: parts are {text, count}. */
export function bar(parts) {
  const total = parts.reduce((sum, { count }) => sum + count, 0) || 1;
  const piece = ({ count }, i) => {
    const part = el("span", { class: `part part-${i % 6}` });
    part.style.setProperty("flex-grow", count);
    return part;
  };
  return el(
    "div",
    {},
    el("div", { class: "stack", "aria-hidden": "true" }, ...parts.map(piece)),
    el(
      "ul",
      { class: "key" },
      ...parts.map(({ text, count }, i) =>
        el(
          "li",
          {},
          el("span", { class: `dot part-${i % 6}`, "aria-hidden": "true" }),
          `${text}: ${count} (${percent(count / total)})`,
        ),
      ),
    ),
  );
}

/** Times of moves on a logarithmic scale from 1 ms to the limit: thin is the whole range, thick the middle half. */
export function timeStrip(quantiles, limit, label) {
  const most = Math.max(limit, 0.01),
    scale = scaleOf(Math.log(LEAST_SECONDS), Math.log(most)),
    at = (/** @type {number} */ seconds) => scale(Math.log(clamp(seconds, LEAST_SECONDS, most)));
  const [least, low, value, high, , longest] = quantiles,
    picture = whisker(at, [], { value, low, high, label });
  picture.prepend(
    svg("line", { class: "limit", x1: at(most), x2: at(most), y1: -24, y2: 48 }),
    svg("line", { class: "thin", x1: at(least), x2: at(longest), y1: 10, y2: 10 }),
  );
  return picture;
}
