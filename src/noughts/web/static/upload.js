// Uploading a version of a bot, and the gate that it has to pass.

import { button, capital, plural } from "./parts.js";
import { el } from "./shapes.js";
import { ask, dropZone } from "./kit.js";

const LOOK_SECONDS = 1; // between two looks at the check
const MOST_BYTES = 1 << 20;
const WAITS = ["waiting", "checking"];

// ---- Uploading.

/** A file to drop or choose, or code to paste. done(answer): called when the server has stored it. */
export function uploadPanel({ uploads_an_hour: most }, done) {
  const refusal = el("p", { role: "alert", class: "refusal", hidden: true }),
    code = el("textarea", { rows: 10, spellcheck: "false", autocapitalize: "off", "aria-label": "Code of the bot" });
  const drop = dropZone(
    { id: "bot", accept: ".py,text/x-python", title: "Upload a version", opened: (file) => send(file, file.name) },
    `drop a Python file here, or choose one; up to ${most} versions per hour`,
  );
  const paste = el(
    "details",
    { class: "card fold" },
    el("summary", {}, el("b", {}, "Paste code")),
    el(
      "div",
      { class: "stack paste" },
      code,
      button("Upload this code", () => send(new Blob([code.value]), ""), { look: "main" }),
    ),
  );
  let busy = false;
  async function send(data, name) {
    if (busy) return;
    busy = true;
    refusal.hidden = true;
    try {
      if (data.size > MOST_BYTES) throw new Error("a bot file must have at most 1 MB; leave out everything but code");
      done(await ask(`/api/ladder/versions?${new URLSearchParams({ file: name })}`, data));
    } catch (error) {
      refusal.textContent = `Upload refused: ${error.message}.`;
      refusal.hidden = false;
    }
    busy = false;
  }
  return el("section", { class: "stack", "aria-label": "Upload" }, drop, paste, refusal);
}

// ---- The check.

const STATES = {
  waiting: "waits for its check",
  checking: "is being checked",
  passed: "passed and plays",
  admitted: "plays, with a warning",
  failed: "did not pass: see below what to fix",
  replaced: "was not checked: a newer version replaced it",
};

/** {element, follow(version, answer)}: a version at the gate, followed until its result. place: null if hidden. */
export function gatePanel(place) {
  const title = el("h2"),
    bar = el("progress", { max: 1, value: 0, "aria-label": "Games of the check" }),
    body = el("div", { class: "stack" }),
    element = el(
      "section",
      { class: "card gate", hidden: true, "aria-label": "The gate" },
      el("div", { role: "status" }, title),
      bar,
      body,
    );
  let following = 0;
  return {
    element,
    /** Returns whether the result arrived while the page was visible. */
    async follow(version, answer) {
      if (place === null) return false;
      following = version;
      let waited = false;
      title.textContent = `Version ${version}`; // until its state is known
      element.hidden = false;
      body.replaceChildren();
      for (;;) {
        let now;
        try {
          now = await ask(`${place}/versions/${version}`);
        } catch (error) {
          if (!waited) {
            title.textContent = `${capital(error.message)}.`;
            return false;
          }
        }
        if (following !== version) return false; // a newer one is followed
        if (now) {
          draw(now, answer);
          if (!WAITS.includes(now.state)) return waited || Boolean(answer?.new);
        }
        waited = true;
        await new Promise((resolve) => setTimeout(resolve, 1000 * LOOK_SECONDS));
      }
    },
  };

  function draw(now, answer) {
    const { version, state, others, games, of, words } = now,
      waits = WAITS.includes(state);
    const line = `Version ${version} ${STATES[state]}`;
    if (title.textContent !== line) title.textContent = line;
    element.classList.toggle("failed", state === "failed");
    bar.hidden = !waits;
    bar.value = games.length / of;
    body.replaceChildren(
      ...[
        answer && !answer.new ? el("p", {}, "This file was uploaded before, so it is the same version.") : null,
        answer?.replaces ? el("p", {}, `Version ${answer.replaces} was still waiting; this one replaces it.`) : null,
        state === "waiting" && others
          ? el("p", { class: "soft" }, `${plural(others, "other version")} at the gate`)
          : null,
        ...(waits ? games.map(({ game, fault }) => el("p", {}, `${capital(game)}: ${fault ?? "well"}`)) : []),
        ...(words && !waits ? wordsOf(words) : []),
      ].filter(Boolean),
    );
  }
}

/** The output of `noughts check`. */
function wordsOf({ rows, findings, notes, conclusion }) {
  return [
    el(
      "dl",
      { class: "checked" },
      ...rows.map(([what, found]) => el("div", {}, el("dt", {}, what), el("dd", {}, found))),
    ),
    ...findings.map(({ text, line, code, detail }) =>
      el(
        "div",
        { class: "finding" },
        el("p", {}, text),
        code === null ? null : el("pre", { tabindex: 0 }, `${line} | ${code}`),
        detail ? el("pre", { tabindex: 0 }, detail) : null,
      ),
    ),
    ...(notes ?? []).map((note) => el("p", { class: "soft" }, note)),
    conclusion ? el("p", { class: "soft" }, `${capital(conclusion)}.`) : null,
  ].filter(Boolean);
}
