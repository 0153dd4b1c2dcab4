// Who is how far: fetched anew every few seconds, as long as the page is looked at.
"use strict";
const live = document.getElementById("live");
async function look() {
  if (document.hidden || live.contains(document.activeElement)) return;
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = page.getElementById("live");
  if (now) live.replaceChildren(...now.childNodes);
}
setInterval(() => look().catch(() => {}), 3000);
