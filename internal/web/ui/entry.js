// The pages on which people get in.
import "./passwords.js";
import "./signout.js";

document.body.classList.add("has-script");

let sent = new WeakSet();
document.addEventListener("submit", (event) => {
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
addEventListener("pageshow", () => (sent = new WeakSet()));
