// The token may come after # in the address, which browsers keep to themselves: it is in no log. Somebody who was
// invited to a game and has not joined comes with the key of a seat there instead, and goes on to the game with it.

const field = /** @type {HTMLInputElement} */ (document.getElementById("token")),
  message = /** @type {HTMLElement} */ (document.getElementById("message"));
const behind = location.hash.slice(1),
  seat = new URLSearchParams(behind).get("key");

/** The page of this server that was asked for; the member's own if none was. */
function wanted(home) {
  const address = new URL(new URLSearchParams(location.search).get("to") ?? home, location.origin);
  const ours = address.origin === location.origin && address.pathname !== "/join";
  return (ours ? address.pathname + address.search : "/") + (seat ? `#key=${encodeURIComponent(seat)}` : "");
}

async function join(token) {
  const answer = await fetch("/join", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  const said = await answer.json();
  if (answer.ok) return location.replace(wanted(said.home));
  message.textContent = said.error;
  field.focus();
}

document.getElementById("form")?.addEventListener("submit", (event) => {
  event.preventDefault();
  join(field.value);
});
if (seat) message.textContent = "You are invited to a game. Type the token of this server, and it opens.";
else if (behind) {
  history.replaceState(null, "", location.pathname + location.search);
  join(decodeURIComponent(behind));
}
