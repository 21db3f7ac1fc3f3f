// How long it is until a deadline, in words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { durationText } from "./deadline.js";

test("a time has its two largest units, and is never negative", () => {
  const nearest = (seconds) => durationText(seconds).replaceAll("\u00a0", " ");
  assert.equal(nearest(3 * 86400 + 5 * 3600 + 59), "3 d 5 h");
  assert.equal(nearest(2 * 86400 + 7 * 60), "2 d");
  assert.equal(nearest(3600), "1 h");
  assert.equal(nearest(250), "4 min 10 s");
  assert.equal(nearest(9.9), "9 s");
  assert.equal(nearest(0), "0 s");
  assert.equal(nearest(-5), "0 s");
});
