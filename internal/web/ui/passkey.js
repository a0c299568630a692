// Passkeys. A button has in data-passkey what the browser needs to show one or,
// with data-new, to make one. The form of the button then sends the answer.
const decoded = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const encoded = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

// parse returns options with bytes instead of their texts.
export const parse = (text) => {
  const options = JSON.parse(text);
  options.challenge = decoded(options.challenge);
  for (const key of [...(options.allowCredentials ?? []), ...(options.excludeCredentials ?? [])])
    key.id = decoded(key.id);
  if (options.user) options.user.id = decoded(options.user.id);
  return options;
};

// answer returns what a browser answered, as text.
export const answer = ({ id, type, response }) => {
  const parts = { clientDataJSON: encoded(response.clientDataJSON) };
  for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"])
    if (response[name]) parts[name] = encoded(response[name]);
  if (response.getTransports) parts.transports = response.getTransports();
  return JSON.stringify({ id, rawId: id, type, response: parts, clientExtensionResults: {} });
};

const failures = {
  InvalidStateError: "This device has a passkey of your account already.",
  NotAllowedError: "No passkey was used. Try again, or use another way.",
  SecurityError: "Passkeys do not work at this address.",
};

let waiting; // for a passkey that the browser offers in a field

// send puts an answer into a form, and sends the form if that was its last
// step.
const send = (button, credential) => {
  const { form } = button;
  const name = button.hasAttribute("data-new") ? "made" : "passkey";
  const kept = form.elements[name] ?? Object.assign(document.createElement("input"), { type: "hidden", name });
  kept.value = answer(credential);
  form.append(kept);
  const next = form.querySelectorAll("button[type=submit], [data-new]");
  if (name === "made" || next.length < 2)
    form.requestSubmit(next.length === 1 && name !== "made" ? next[0] : undefined);
  else said(button, "Your passkey is confirmed. Now choose what to do.");
};

const said = (button, text) => {
  button.nextElementSibling.textContent = text;
};

const use = async (button) => {
  const { form } = button;
  const isNew = button.hasAttribute("data-new");
  if (isNew && !form.reportValidity()) return;
  waiting?.abort();
  said(button, "");
  try {
    const publicKey = parse(button.dataset.passkey);
    send(
      button,
      await (isNew ? navigator.credentials.create({ publicKey }) : navigator.credentials.get({ publicKey })),
    );
  } catch (error) {
    said(button, failures[error.name] ?? `The passkey could not be used: ${error.message}`);
  }
};

// offer lets the browser offer passkeys in the field of the address.
const offer = async (button) => {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  waiting = new AbortController();
  try {
    const publicKey = parse(button.dataset.passkey);
    send(button, await navigator.credentials.get({ publicKey, mediation: "conditional", signal: waiting.signal }));
  } catch {} // the button is still there
};

if (globalThis.document)
  for (const button of document.querySelectorAll("[data-passkey]")) {
    if (!globalThis.PublicKeyCredential) {
      button.hidden = true;
      said(button, "This browser does not use passkeys at this address.");
      continue;
    }
    button.addEventListener("click", () => use(button));
    if (button.hasAttribute("data-offer")) offer(button);
  }
