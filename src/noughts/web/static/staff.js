// The staff page of a ladder: waiting versions, speed, faults, and actions.

import { button, changes, nameOf, plural, rowHead, table } from "./parts.js";
import { el } from "./shapes.js";
import { ask, nothingHere, toast } from "./kit.js";
import { durationText } from "./deadline.js";
import { gameLink, ladderHead, LEADERBOARD, noteOf, teamAddress, teamLink } from "./ladder.js";

const LOOK_SECONDS = 5;

export async function show(main) {
  const ladder = await ask("/api/ladder");
  if (ladder.you.audience !== "staff")
    return nothingHere(main, "This page is for staff", "Open the staff link.", LEADERBOARD);
  document.title = "Staff: noughts";
  const head = ladderHead(ladder, "Staff", ladder.title, el("a", { class: "btn", href: "/ladder" }, "Leaderboard")),
    facts = el("div", { class: "facts card" }),
    actions = el("div", { class: "row" }),
    changed = changes(),
    notice = el("p", { role: "status", class: "notice", hidden: true }),
    teams = el("div"),
    trouble = el("ol", { class: "feed" }),
    odd = el("section", { hidden: true });
  main.append(
    el(
      "div",
      { class: "page team" },
      ...head.parts,
      facts,
      el("section", { class: "stack" }, el("h2", {}, "The ladder"), actions, deadlineForm(ladder, change)),
      notice,
      el("section", {}, el("h2", {}, "Faults"), trouble),
      odd,
      el("section", {}, el("h2", {}, "Teams"), teams),
    ),
  );
  await look();
  setInterval(() => (document.hidden ? null : look()), 1000 * LOOK_SECONDS);
  return null;

  async function look() {
    try {
      const [now, whole] = await Promise.all([ask("/api/ladder/queue"), ask("/api/ladder")]);
      head.update(now);
      showFacts(now);
      showActions(now, whole);
      showFaults(now);
      showTeams(now, whole);
    } catch (error) {
      toast(error.message);
    }
  }

  /** Performs an action, shows its result, and updates the page. */
  async function change(action, /** @type {any} */ data = {}, /** @type {string | null} */ question = null) {
    if (question && !confirm(question)) return;
    try {
      const reply = await ask(`/api/ladder/staff/${action}`, data);
      notice.replaceChildren(
        ...(reply.link
          ? [
              `The new link of ${data.team ?? "the staff"}: `,
              el("code", {}, reply.link),
              " The old one no longer works.",
              reply.kept ? " The file of links is updated." : " It is shown once.",
            ]
          : [DONE[action](data, reply)]),
      );
    } catch (error) {
      notice.textContent = `Nothing was changed: ${error.message}.`;
    }
    notice.hidden = false;
    await look();
  }

  function showFacts(now) {
    const waiting = now.waiting.map(({ team, version, seconds }) =>
      el(
        "li",
        {},
        el("a", { href: `${teamAddress(team)}/version/${version}` }, nameOf(team), ` version ${version}`),
        seconds === null ? "" : ` ${durationText(seconds)}`,
      ),
    );
    const machines = now.machines.map(({ name, cores, games, speed, slowest, fastest }) =>
      el(
        "li",
        {},
        `${name}: ${plural(cores, "core")}, ${games} games, `,
        `speed ${speed} (${slowest} to ${fastest}; higher is faster)`,
      ),
    );
    facts.replaceChildren(
      fact("Waiting for the check", waiting.length ? el("ul", {}, ...waiting) : "nobody"),
      fact("Placement games", now.placing.length ? now.placing.join(", ") : "nobody"),
      fact("Time of a check", spread(now.gate_seconds)),
      fact("Time until a rating", spread(now.rated_seconds)),
      fact("Games", `${now.games} played, ${now.games_per_minute} per minute (last five minutes)`),
      fact(
        "Workers",
        `${now.workers === null ? "on a cluster" : `${now.workers} on this machine`}, ` +
          `${plural(now.playing.length, "game")} in flight`,
      ),
      fact("Machines", machines.length ? el("ul", {}, ...machines) : "none yet"),
    );
  }

  function showActions({ frozen }, { pseudonyms }) {
    if (!changed([frozen, pseudonyms])) return;
    actions.replaceChildren(
      frozen
        ? button("Unfreeze", () => change("unfreeze"))
        : button("Freeze", () =>
            change(
              "freeze",
              {},
              "End all uploads and games? Games in flight are dropped. You can unfreeze the ladder later.",
            ),
          ),
      el("a", { class: "btn", href: "/api/ladder/backup.noughts", download: "" }, "Download a backup"),
      el("a", { class: "btn", href: "/api/ladder/everything.zip", download: "" }, "Download everything"),
      pseudonyms
        ? button("Show real names", () =>
            change("names", { pseudonyms: false }, "Show the real names of all teams to all teams and the public?"),
          )
        : button("Hide names", () => change("names", { pseudonyms: true })),
      button("New link for staff", () => change("link", {}, "Create a new link for staff? The old one stops working.")),
    );
  }

  function showFaults({ faults, odd_pairs: pairs }) {
    trouble.replaceChildren(
      ...(faults.length
        ? faults.map(({ team, faults: count, game, latest }) =>
            el(
              "li",
              {},
              teamLink(team),
              ` ${plural(count, "fault")}, the latest in `,
              gameLink(game),
              el("span", { class: "soft" }, ` ${latest}`),
            ),
          )
        : [el("li", { class: "soft" }, "None in the latest games.")]),
    );
    odd.hidden = !pairs.length;
    odd.replaceChildren(
      el("h2", {}, "Results far from the ratings"),
      el("p", { class: "soft small" }, "One team may let the other win, or know its weakness. Look at their games."),
      el(
        "ol",
        { class: "feed" },
        ...pairs.map(({ team, against, points, games, expected }) =>
          el(
            "li",
            {},
            teamLink(team),
            ` ${points} points from ${games} games against `,
            teamLink(against),
            `; their games against others predict ${expected}`,
          ),
        ),
      ),
    );
  }

  function showTeams({ suspended, refused }, { board }) {
    if (teams.contains(document.activeElement)) return; // do not move elements while the user presses one
    const out = new Map(suspended.map(({ team, reason }) => [team, reason]));
    const rows = [
      ...board.filter(({ yardstick }) => !yardstick).map((row) => ({ ...row, reason: refused[row.team] })),
      ...suspended.map(({ team, reason }) => ({ team, reason, state: "suspended", version: null, games: "" })),
    ];
    const columns = [
      ["Team", ({ team, alias }) => rowHead(el("span", {}, teamLink(team), alias && noteOf(alias))), "name"],
      ["State", ({ state, reason }) => [state, reason && noteOf(reason)], "name plain"],
      ["Version", ({ version }) => version, "wide-only"],
      ["Games", ({ games }) => games, "wide-only"],
      ["Actions", (row) => actionsOf(row, out.has(row.team)), "name plain"],
    ];
    teams.replaceChildren(table("Teams", columns, rows, "results"));
  }

  function actionsOf({ team, reason }, isOut) {
    return el(
      "div",
      { class: "row actions" },
      isOut
        ? button("Resume", () => change("resume", { team }), { look: "small" })
        : button("Suspend", () => suspend(team), { look: "small" }),
      reason && !isOut ? button("Requeue", () => change("requeue", { team }), { look: "small" }) : null,
      button("New link", () => change("link", { team }, `Create a new link for ${team}? The old one stops working.`), {
        look: "small",
      }),
    );
  }

  function suspend(team) {
    const reason = prompt(`Suspend ${team}? It can neither play nor upload. Message to the team:`, "");
    if (reason !== null) change("suspend", { team, reason });
  }
}

const DONE = {
  suspend: ({ team }) => `${team} is suspended.`,
  resume: ({ team }) => `${team} is readmitted.`,
  requeue: ({ team }, { waits }) =>
    waits ? `${team} waits for its check.` : `${team} has no failed or suspended version.`,
  freeze: () => "The ladder is frozen.",
  unfreeze: () => "The ladder continues.",
  names: ({ pseudonyms }) => (pseudonyms ? "Teams see each other by pseudonyms." : "Everyone sees the real names."),
  deadline: ({ deadline }) => (deadline === "none" ? "There is no deadline." : "The deadline is set."),
};
const fact = (name, value) => el("div", {}, el("b", {}, name), el("div", {}, value));
const spread = (seconds) =>
  seconds ? `${durationText(seconds.median)}, 95% within ${durationText(seconds.p95)}` : "not known yet";

/** The deadline, in the zone of this browser. */
function deadlineForm({ deadline }, change) {
  const at = deadline ? new Date(deadline) : null,
    local = at ? new Date(at.getTime() - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16) : "";
  const when = el("input", { type: "datetime-local", value: local, id: "deadline" });
  return el(
    "div",
    { class: "row" },
    el("label", { for: "deadline" }, "Deadline"),
    when,
    button("Set", () => (when.value ? change("deadline", { deadline: new Date(when.value).toISOString() }) : null)),
    button("None", () => change("deadline", { deadline: "none" })),
  );
}
