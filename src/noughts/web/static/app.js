// Chooses the part of the page by the address, and builds the top bar.

import { button, themeButton } from "./parts.js";
import { byId } from "./shapes.js";
import { shortcut } from "./kit.js";
import { applyLook, openHelp, openSettings, wakeSound } from "./settings.js";

/** @type {[RegExp, string, string][]} */
const PARTS = [
  [/^\/$/, "lobby", "Play"],
  [/^\/game\/([\w-]+)$/, "play", "Game"],
  [/^\/analyse$/, "analyse", "Analyse"],
  [/^\/puzzles$/, "puzzles", "Puzzles"],
  [/^\/replay$/, "replay", "Replay"],
  [/^\/watch$/, "watch", "Watch"],
  [/^\/ladder$/, "ladder", "Ladder"],
  [/^\/ladder\/staff$/, "staff", "Staff"],
  [/^\/ladder\/team\/([^/]+)(?:\/version\/(\d+))?$/, "team", "Team"],
  [/^\/learn$/, "learn", "Rules"],
  [/^\/api$/, "api", "API"],
];

applyLook();
wakeSound();
document
  .querySelector(".tools")
  ?.append(button("Settings", openSettings, { icon: "settings", look: "quiet" }), themeButton());
shortcut("?", openHelp);
const main = byId("main");
/** @type {any} */
const [found, name, title] = PARTS.map(([form, ...rest]) => [location.pathname.match(form), ...rest]).find(
  ([match]) => match,
) ?? [[], "lobby", "Play"];
document.title = `${title}: noughts`;
const here = { play: "/", learn: "/", team: "/ladder", staff: "/ladder" }[name] ?? location.pathname;
document.querySelector(`nav a[href="${here}"]`)?.setAttribute("aria-current", "page");
try {
  const part = await import(`./${name}.js`);
  main.replaceChildren();
  await part.show(main, ...found.slice(1));
} catch (error) {
  const note = document.createElement("p");
  note.className = "page";
  note.setAttribute("role", "alert");
  note.textContent = `Error: ${error.message}`;
  main.replaceChildren(note);
}
