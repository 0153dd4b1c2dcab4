// Who is how far: fetched anew every few seconds, as long as the page is looked at. Only cells that say something else
// are put in place, so that nothing flickers and what is read or about to be clicked stays where it is.
"use strict";
const live = document.getElementById("live");

function renew(old, now) {
  if (old.isEqualNode(now)) return;
  const same = old.nodeName === now.nodeName && old.childElementCount === now.childElementCount && old.childElementCount;
  const mixed = [...old.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  if (!same || mixed || old.matches("td")) {
    if (!old.contains(document.activeElement)) old.replaceWith(document.importNode(now, true));
    return;
  }
  const others = [...now.children];
  [...old.children].forEach((child, place) => renew(child, others[place]));
}

async function look() {
  if (document.hidden) return;
  const answer = await fetch(location.href);
  if (answer.redirected || answer.status === 404) { location.reload(); return; }
  if (!answer.ok) return;
  const now = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (now) renew(live, now);
}
setInterval(() => look().catch(() => {}), 3000);
