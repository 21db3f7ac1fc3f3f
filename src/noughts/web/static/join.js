// The token may come after # in the address, which browsers do not send, so no log has it. People who are invited to a
// game but have not joined have the key of a seat there instead; it opens the game after they join.

const field = /** @type {HTMLInputElement} */ (document.getElementById("token")),
  message = /** @type {HTMLElement} */ (document.getElementById("message"));
const behind = location.hash.slice(1),
  seat = new URLSearchParams(behind).get("key");

/** The requested page of this server; by default the member's own. */
function wanted(home) {
  const address = new URL(new URLSearchParams(location.search).get("to") ?? home, location.origin);
  const ours = address.origin === location.origin && address.pathname !== "/join";
  return (ours ? address.pathname + address.search : "/") + (seat ? `#key=${encodeURIComponent(seat)}` : "");
}

/** replace: whether to end the session of another member in this browser. */
async function join(token, replace = false) {
  const answer = await fetch("/join", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, replace }),
  });
  const reply = await answer.json();
  if (answer.ok) return location.replace(wanted(reply.home));
  if (answer.status === 409) return askToReplace(token, reply);
  message.textContent = reply.error;
  field.focus();
}

/** Another member's link may come from anyone: with it, uploads would go to that member's team. */
function askToReplace(token, { now, new: other, stay: home }) {
  const button = document.createElement("button"),
    stay = document.createElement("a"),
    choices = document.createElement("span");
  button.className = "btn";
  button.textContent = `Continue as ${other}`;
  button.addEventListener("click", () => join(token, true));
  stay.className = "btn main";
  stay.href = wanted(home);
  stay.textContent = `Stay signed in as ${now}`;
  choices.className = "stack";
  choices.append(stay, button);
  document.getElementById("form")?.remove();
  message.replaceChildren(
    `You are signed in as ${now}. This link is that of ${other}. ` +
      `If you continue, your uploads will belong to ${other}.`,
    choices,
  );
  stay.focus();
}

document.getElementById("form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  join(field.value);
});
document.querySelector("#form button")?.removeAttribute("disabled"); // before, a browser would submit the form itself
if (seat) message.textContent = "You are invited to a game. To open it, enter this server's token.";
else if (behind) {
  history.replaceState(null, "", location.pathname + location.search);
  join(decodeURIComponent(behind));
}
