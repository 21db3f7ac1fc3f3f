// The clock of a ladder: the server's time, the deadline, and the time left.

import { el } from "./shapes.js";

const MINUTE = 60,
  HOUR = 60 * MINUTE,
  DAY = 24 * HOUR;

/** A duration in its two largest units: "3 d 4 h", "4 min 10 s". */
export function durationText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  /** @type {[string, number][]} */
  const units = [
    ["d", Math.floor(whole / DAY)],
    ["h", Math.floor((whole % DAY) / HOUR)],
    ["min", Math.floor((whole % HOUR) / MINUTE)],
    ["s", whole % MINUTE],
  ];
  const first = units.findIndex(([, count]) => count);
  if (first < 0) return "0 s";
  return units
    .slice(first, first + 2)
    .filter(([, count]) => count)
    .map(([unit, count]) => `${count}\u00a0${unit}`)
    .join(" ");
}

/** @type {Intl.DateTimeFormatOptions} */
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" };
/** @type {Intl.DateTimeFormatOptions} */
const DATE = { dateStyle: "medium", timeStyle: "short" };
const timeText = (at, parts) => new Intl.DateTimeFormat(undefined, parts).format(at);

/** {element, update({deadline, frozen}), isOpen()}. facts: the server's time and deadline. */
export function clockLine(facts) {
  const ahead = Date.parse(facts.now) - Date.now();
  const time = el("span"),
    left = el("span"),
    element = el("p", { class: "soft clock-line" }, time, left);
  let { deadline, frozen } = facts;
  const remaining = () => (deadline ? (Date.parse(deadline) - Date.now() - ahead) / 1000 : Infinity);
  function draw() {
    const seconds = remaining();
    time.textContent = `Server time ${timeText(new Date(Date.now() + ahead), CLOCK)}`;
    left.className = seconds < DAY ? "soon" : "";
    left.textContent =
      seconds === Infinity
        ? ""
        : ` · deadline ${timeText(new Date(deadline), DATE)}` +
          (seconds > 0 ? `, ${durationText(seconds)} left` : " has passed: uploads are closed");
  }
  draw();
  setInterval(draw, 1000);
  return {
    element,
    update(now) {
      ({ deadline, frozen } = now);
      draw();
    },
    isOpen: () => !frozen && remaining() > 0,
  };
}
