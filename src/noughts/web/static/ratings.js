// Ratings in words and as a curve over time. The computations need no page.

import { ticksOf } from "./parts.js";
import { clamp, el, svg } from "./shapes.js";

const SURE = 300; // half an interval in Elo; pictures leave no room for wider ones, as after the first games
const LEAST_SPAN = 100;
const MINUTE = 60_000,
  HOUR = 60 * MINUTE,
  DAY = 24 * HOUR;

/** A rating in Elo, with a real minus; "" if there is none yet. */
export const eloText = (elo) => (elo === null || elo === undefined ? "" : `${elo < 0 ? "−" : ""}${size(elo)}`);
const size = (value) => String(Math.round(Math.abs(value)));

/** Half the width of an interval: "±85". */
export const marginText = ({ low, high }) => (low === null || low === undefined ? "" : `±${size((high - low) / 2)}`);

/** A change in Elo: {text, words, look}; null if there is nothing to compare with. */
export function trendOf(change) {
  if (change === null || change === undefined) return null;
  const points = Math.round(change);
  if (!points) return { text: "=", words: "unchanged", look: "" };
  return points > 0
    ? { text: `▲ ${size(points)}`, words: `up ${size(points)}`, look: "up" }
    : { text: `▼ ${size(points)}`, words: `down ${size(points)}`, look: "down" };
}

/** A change as an element that shows its direction not only by colour. */
export function trendMark(change, /** @type {string} */ over = "") {
  const trend = trendOf(change);
  if (!trend) return "";
  return el(
    "span",
    { class: `trend ${trend.look}` },
    el("span", { "aria-hidden": "true" }, trend.text),
    el("span", { class: "hidden" }, `${trend.words}${over}`),
  );
}

/** The time since something happened; a date if that is more than a day. */
export function agoText(at, now = Date.now()) {
  const past = Math.max(0, now - Date.parse(at));
  if (past < MINUTE) return "just now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}

export const ago = (at) => el("time", { datetime: at, title: new Date(at).toLocaleString("en-GB") }, agoText(at));

/** The lowest and the highest rating in a picture of these: [low, high]. @returns {[number, number]} */
export function spanOf(rated) {
  const sure = rated.filter(({ low, high }) => high - low <= 2 * SURE),
    shown = sure.length ? sure : rated,
    low = Math.min(...shown.map((one) => Math.max(one.low, one.elo - SURE))),
    high = Math.max(...shown.map((one) => Math.min(one.high, one.elo + SURE))),
    more = Math.max(0, LEAST_SPAN - (high - low)) / 2;
  return shown.length ? [low - more, high + more] : [-LEAST_SPAN, LEAST_SPAN];
}

/**
 * The places of a curve in a box from 0 to 1, y downwards: {versions: [{version, x, line, band}], ticks: [{value, y}]}.
 * points: [{version, elo, low, high}], the oldest first. They follow each other at equal steps: a version that plays
 * for an hour is as wide as one with as many games that played for a month. Each has a line and a band of its own.
 */
export function curveOf(points) {
  const [low, high] = spanOf(points),
    y = (value) => clamp((high - value) / (high - low), 0, 1),
    /** @type {any[]} */ versions = [];
  points.forEach((point, i) => {
    const x = i / (points.length - 1 || 1);
    if (versions.at(-1)?.version !== point.version)
      versions.push({ version: point.version, x, line: [], upper: [], lower: [] });
    const one = versions[versions.length - 1];
    one.line.push([x, y(point.elo)]);
    one.upper.push([x, y(point.high)]);
    one.lower.push([x, y(point.low)]);
  });
  return {
    versions: versions.map(({ upper, lower, ...one }) => ({ ...one, band: [...upper, ...lower.reverse()] })),
    ticks: ticksOf(low, high, 4).map((value) => ({ value, y: y(value) })),
  };
}

/** The rating of a team over time with its interval, as a picture. */
export function ratingCurve(points) {
  const { versions, ticks } = curveOf(points),
    last = points[points.length - 1],
    path = (places) => `M${places.map(([x, y]) => `${(1000 * x).toFixed(1)} ${(100 * y).toFixed(2)}`).join("L")}`;
  const count = versions.length === 1 ? "one version" : `${versions.length} versions`,
    between = `from ${eloText(last.low)} to ${eloText(last.high)}`,
    label = `Rating over time, ${count}; now ${eloText(last.elo)}, ${between}`;
  const scale = svg("svg", { class: "scale", "aria-hidden": "true" }),
    picture = svg("svg", { class: "rating-curve", role: "img", "aria-label": label });
  for (const { value, y } of ticks) {
    const at = `${100 * y}%`;
    svg("line", { class: "axis", x1: 0, x2: "100%", y1: at, y2: at }, picture);
    svg("text", { x: "100%", y: at, dy: 4, "text-anchor": "end" }, scale).textContent = eloText(value);
  }
  const inner = svg("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none" }, picture);
  let labelled = -1;
  for (const { version, x, line, band } of versions) {
    svg("path", { class: "band", d: `${path(band)}Z` }, inner);
    // A version with one point yet is a dot.
    svg(
      "path",
      { class: line.length > 1 ? "line" : "line dot", d: `${path(line)}${line.length > 1 ? "" : "h0.01"}` },
      inner,
    );
    if (x - labelled < 0.06) continue; // no room for its number
    labelled = x;
    svg("line", { class: "version", x1: `${100 * x}%`, x2: `${100 * x}%`, y1: 0, y2: "100%" }, picture);
    const end = x > 0.9;
    svg(
      "text",
      { x: `${100 * x}%`, y: "100%", dx: end ? -4 : 4, dy: 16, "text-anchor": end ? "end" : "start" },
      picture,
    ).textContent = `v${version}`;
  }
  return el(
    "figure",
    { class: "rating-figure card" },
    scale,
    picture,
    el("figcaption", { class: "soft small" }, ago(points[0].at), el("span", {}, "Elo, 95% interval"), ago(last.at)),
  );
}
