// Shows and hides passwords. A button names its field in data-shows.
for (const button of document.querySelectorAll("[data-shows]")) {
  const field = document.getElementById(button.dataset.shows);
  const show = (shown) => {
    field.type = shown ? "text" : "password";
    button.textContent = shown ? "Hide" : "Show";
    button.setAttribute("aria-pressed", shown);
  };
  button.addEventListener("click", () => show(field.type === "password"));
  field.form.addEventListener("submit", () => show(false)); // password managers need a password field
}
