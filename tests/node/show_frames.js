// Reads recorded games as JSON, and writes the views of all their positions and the texts of their moves.

import { text } from "node:stream/consumers";
import { movesOf, viewAt } from "./frames.js";

const frames = JSON.parse(await text(process.stdin)).map((record) => [
  record.codes.map((_, n) => viewAt(record, n)),
  movesOf(record).map(({ text }) => text),
]);
process.stdout.write(JSON.stringify(frames));
