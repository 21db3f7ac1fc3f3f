// A board in someone else's page: /embed?game=extreme&play=3,7+13,12 or &position=...
// Arrow keys step through it; moves cannot be played.

import { create } from "./board.js";
import { viewAt } from "./frames.js";
import { stepper } from "./parts.js";
import { byId, el } from "./shapes.js";
import { live } from "./kit.js";

const main = byId("main"),
  wanted = new URLSearchParams(location.search);
const link = live("/live/analysis", {
  opened: () =>
    link.send({
      type: "analyse",
      number: 1,
      game: wanted.get("game") ?? "extreme",
      position: wanted.get("position"),
      play: wanted.get("play") ?? "",
    }),
  received: show,
});

function show(message) {
  link.close();
  if (message.type !== "position") return main.append(el("p", { role: "alert" }, message.error));
  const board = create(main, { mode: "read" }),
    { record } = message,
    count = record.cells.length;
  const steps = stepper({ count, show: (n) => board.show(viewAt(record, n)) });
  if (count) main.append(steps.element);
  main.append(
    el(
      "p",
      { class: "small" },
      el("a", { href: `/analyse?${wanted}`, target: "_blank", rel: "noopener" }, "Analyse in noughts"),
    ),
  );
  return steps.go(count);
}
