// Who signs out leaves no files to whoever signs in next.
import { forget } from "./pending.js";

const enough = 500; // ms: a browser that does not answer keeps nobody signed in

document.addEventListener("submit", async (event) => {
  if (event.target.getAttribute("action") !== "/sign-out" || event.defaultPrevented) return;
  event.preventDefault();
  await Promise.race([forget(), new Promise((go) => setTimeout(go, enough))]);
  event.target.submit();
});
