// Reads recorded games as JSON, and writes the views of all their positions and the texts of their moves.

import { text } from "node:stream/consumers";
import { moveAt, movesOf, viewAt } from "./frames.js";

const positions = (record) => Array.from({ length: movesOf(record) + 1 }, (_, n) => n);
const frames = JSON.parse(await text(process.stdin)).map((record) => [
  positions(record).map((n) => viewAt(record, n)),
  positions(record)
    .slice(1)
    .map((n) => moveAt(record, n)),
]);
process.stdout.write(JSON.stringify(frames));
