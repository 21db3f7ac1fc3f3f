// A game between people: the invitation, names, offers, and notifications for players in another tab.

import { button, changes, kept } from "./parts.js";
import { el } from "./shapes.js";
import { copy } from "./kit.js";

/** @import { PlayedModel } from "./playing.js" */

/** Offers: the message that makes and accepts each, and its words. */
const OFFERS = {
  undo: { message: { type: "undo" }, mine: "You asked to take a move back.", theirs: "asks to take a move back." },
  draw: { message: { type: "draw" }, mine: "You offered a draw.", theirs: "offers a draw." },
  hints: { message: { type: "hints" }, mine: "You asked for hints.", theirs: "asks for hints, for both of you." },
  rematch: {
    message: { type: "rematch", swap: false },
    mine: "You asked for a rematch.",
    theirs: "asks for a rematch.",
  },
  swap: {
    message: { type: "rematch", swap: true },
    mine: "You asked for a rematch with sides swapped.",
    theirs: "asks for a rematch with sides swapped.",
  },
};

/** The boxes above the moves: {element, show()}. send(message): to the server. */
export function peopleBoxes(id, /** @type {PlayedModel} */ model, send) {
  const invite = el("div", { class: "invite", hidden: true }),
    name = el("form", { class: "invite", hidden: true }),
    offers = el("div", { class: "invite", hidden: true, role: "status" });
  const changed = changes();
  buildName();

  function buildName() {
    const field = el("input", {
      type: "text",
      maxlength: 40,
      autocomplete: "nickname",
      placeholder: "Your name",
      "aria-label": "Your name",
    });
    name.append(el("div", { class: "row" }, field, el("button", { class: "btn" }, "Set my name")));
    name.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!field.value.trim()) return;
      kept.set("name", field.value.trim());
      send(helloOf(id));
    });
  }

  function showInvite() {
    const guest = kept.get(`guest-${id}`),
      here = model.game.present[1 - model.seat];
    const wanted = Boolean(guest) && model.count < 2 && !model.game.over && !here;
    if (!wanted) invite.hidden = true;
    if (!wanted || !invite.hidden) return;
    const address = `${location.origin}/game/${id}#key=${guest}`;
    const field = el("input", {
      type: "text",
      readonly: true,
      value: address,
      "aria-label": "Link for the other player",
    });
    field.addEventListener("focus", () => field.select());
    invite.hidden = false;
    invite.replaceChildren(
      el("p", {}, "Send this link to the other player:"),
      el(
        "div",
        { class: "row" },
        field,
        button("Copy the link", () => copy(address, "The link"), { icon: "link" }),
      ),
    );
  }

  function showOffers() {
    if (!changed([model.game.offers, model.game.you, model.nameOf(1 - model.seat)])) return;
    const rows = Object.keys(OFFERS).flatMap((kind) => {
      const by = model.offeredBy(kind);
      if (by === null || !model.playing) return [];
      if (by === "me") return [el("p", {}, OFFERS[kind].mine)];
      return [
        el("p", {}, `${model.nameOf(1 - model.seat)} ${OFFERS[kind].theirs}`),
        el(
          "div",
          { class: "row" },
          button("Accept", () => send(OFFERS[kind].message), { look: "main" }),
          button("Decline", () => send({ type: "decline" })),
        ),
      ];
    });
    offers.hidden = !rows.length;
    offers.replaceChildren(...rows);
  }

  return {
    element: el("div", { class: "boxes" }, invite, name, offers),
    show() {
      const { game, playing, seat } = model;
      name.hidden = !game.people || !playing || game.over || game.seats[seat].named;
      showInvite();
      showOffers();
    },
  };
}

/** The first message to the server: the seat and the person's name. */
export const helloOf = (id) => ({ type: "hello", key: kept.get(`key-${id}`) ?? "", name: kept.get("name") ?? "" });

// ---- Players in another tab.

/** A button to allow notifications, if the browser supports them and was not asked. */
export function notifyButton() {
  const node = button("Notify me", async () => {
    await Notification.requestPermission();
    node.hidden = true;
  });
  return node;
}
export const canAskToNotify = () => "Notification" in window && Notification.permission === "default";

/** Sends a notification if the page is hidden and notifications are allowed. */
export function notify(id, text, more) {
  if (!document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
  try {
    const note = new Notification(text, { body: more, tag: id });
    note.addEventListener("click", () => window.focus());
  } catch {
    // Some phones allow notifications only from service workers.
  }
}
