// The script of the pages for signing in and signing up.
import "./passwords.js";
import "./signout.js";

document.body.classList.add("has-script");

for (const button of document.querySelectorAll("[data-copy]"))
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    button.textContent = copied ? "Copied" : "Select the text and copy it by hand";
  });

if (document.querySelector("[data-passkey]")) import("./passkey.js");

let sent = new WeakSet();
document.addEventListener("submit", (event) => {
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
addEventListener("pageshow", () => (sent = new WeakSet()));

// Reports of a new account use the time zone of the browser that created it.
for (const field of document.querySelectorAll("[data-zone]"))
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
