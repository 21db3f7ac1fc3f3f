// The token may come after # in the address, which browsers keep to themselves: it is in no log.

const field = document.getElementById("token"),
  told = document.getElementById("told");

async function join(token) {
  const answer = await fetch("/join", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) return location.replace("/");
  told.textContent = (await answer.json()).error;
  field.focus();
}

document.getElementById("form").addEventListener("submit", (event) => {
  event.preventDefault();
  join(field.value);
});
if (location.hash.length > 1) {
  const token = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", "/join");
  join(token);
}
