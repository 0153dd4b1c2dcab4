// A file that is too large for a problem is refused before it is sent.
"use strict";
const file = document.querySelector("input[type=file]");
file.addEventListener("change", () => {
  const chosen = file.files[0];
  file.setCustomValidity(chosen && chosen.size > Number(file.dataset.most) ? file.dataset.wrong : "");
  file.reportValidity();
});
