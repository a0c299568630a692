// Checks slugs while people type them.
import { all, find } from "../ui/app.js";

// watchSlug shows in the element says whether the slug in a field is free. of
// returns the slug of the link that is edited, or "". It is called for each
// check. at is the address of the check.
export const watchSlug = (field, says, of = () => "", at = "/dashboard/slug") => {
  let timer;
  let asked = 0;
  const tell = (text, state) => {
    says.textContent = text;
    says.dataset.state = state;
    field.setAttribute("aria-invalid", String(state === "taken"));
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    const slug = field.value.trim();
    const number = ++asked;
    if (!slug || slug.toLowerCase() === of()) return tell("", "");
    timer = setTimeout(async () => {
      try {
        const answer = await fetch(`${at}?${new URLSearchParams({ slug, for: of() })}`, {
          cache: "no-store",
        });
        const said = await answer.json();
        if (number === asked) tell(said.message ?? said.error, said.free ? "free" : "taken");
      } catch {
        if (number === asked) tell("", ""); // the server checks again on submit
      }
    }, 250);
  });
};

for (const field of all("input[data-check]"))
  watchSlug(field, find(".slug-says", field.form), () => field.dataset.for ?? "", field.dataset.check);
