import assert from "node:assert/strict";
import { test } from "node:test";
import { agoText, curveOf, eloText, marginText, spanOf, trendOf } from "./ratings.js";

const point = (version, minute, elo, half) => ({
  version,
  at: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  elo,
  low: elo - half,
  high: elo + half,
});
const CURVE = [point(1, 0, -900, 800), point(1, 10, 0, 100), point(2, 10, 50, 120), point(2, 40, 100, 60)];

test("ratings have a real minus, and nothing stands where there is none", () => {
  assert.deepEqual([eloText(12.4), eloText(-12.6), eloText(null)], ["12", "−13", ""]);
  assert.deepEqual([marginText({ low: -10, high: 71 }), marginText({ low: null, high: null })], ["±41", ""]);
});

test("a trend says which way a rating went, also without colour", () => {
  assert.deepEqual(trendOf(23.4), { text: "▲ 23", words: "up 23", look: "up" });
  assert.deepEqual(trendOf(-7), { text: "▼ 7", words: "down 7", look: "down" });
  assert.equal(trendOf(0.3)?.words, "unchanged");
  assert.equal(trendOf(null), null);
});

test("each version has a line of its own, from its first to its last rating", () => {
  const { versions } = curveOf(CURVE);
  assert.deepEqual(
    versions.map(({ version, x }) => [version, x]),
    [
      [1, 0],
      [2, 2 / 3],
    ],
  );
  assert.equal(versions[1].line.at(-1)[0], 1);
  assert.equal(versions[1].band.length, 4);
});

test("higher ratings are higher up, and everything stays in the picture", () => {
  const { versions, ticks } = curveOf(CURVE);
  const [[, before], [, after]] = versions[1].line;
  assert.ok(after < before);
  for (const [x, y] of versions.flatMap(({ line, band }) => [...line, ...band]))
    assert.ok(x >= 0 && x <= 1 && y >= 0 && y <= 1);
  assert.ok(ticks.length >= 2 && ticks.every(({ y }) => y >= 0 && y <= 1));
});

test("first games, which tell little, take no room", () => {
  assert.deepEqual(spanOf(CURVE), [-100, 170]);
  assert.deepEqual(spanOf(CURVE.slice(0, 1)), [-1200, -600]);
  const [low, high] = spanOf([]);
  assert.ok(low < high);
});

test("one rating is a curve, too", () => {
  const { versions } = curveOf(CURVE.slice(1, 2));
  assert.deepEqual(versions[0].line, [[0, 0.5]]);
});

test("times are told as long as they are near, then dates", () => {
  const now = Date.parse("2026-01-02T12:00:00Z");
  const said = ["2026-01-02T11:59:30Z", "2026-01-02T11:48:00Z", "2026-01-02T09:00:00Z"].map((at) => agoText(at, now));
  assert.deepEqual(said, ["just now", "12 min ago", "3 h ago"]);
  assert.match(agoText("2025-12-20T12:00:00Z", now), /20 Dec/);
});
