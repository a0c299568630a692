// Deletes the waiting files on sign-out, so that the next user of this browser
// does not get them.
import { discard } from "./pending.js";

const enough = 500; // ms; sign-out does not wait longer for the browser's store

document.addEventListener("submit", async (event) => {
  if (event.target.getAttribute("action") !== "/sign-out" || event.defaultPrevented) return;
  event.preventDefault();
  await Promise.race([discard(), new Promise((go) => setTimeout(go, enough))]);
  event.target.submit();
});
