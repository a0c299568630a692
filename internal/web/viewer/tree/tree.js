// The list of an archive. A file opens over the list, with buttons for the next
// and the previous one.
const dialog = document.getElementById("entry");
const [name, place, back, next, close, download] = ["name", "place", "back", "next", "close", "download"].map((id) =>
  document.getElementById(`entry-${id}`),
);
const links = [...document.querySelectorAll('.tree a[target="entry"]')];
let at = 0;
const frame = document.createElement("iframe");
frame.name = "entry";
frame.title = "File of the archive";
frame.allow = "fullscreen";
frame.sandbox = "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals";

// load replaces the address of the frame, so that opening a file adds nothing
// to the history. Without a file there is no frame, which would be a document
// without a title.
function load(address) {
  if (frame.isConnected) return frame.contentWindow.location.replace(address);
  frame.src = address;
  dialog.querySelector("div").append(frame);
}

function show(i) {
  at = i;
  const link = links[at];
  name.textContent = link.textContent;
  place.textContent = links.length > 1 ? `${at + 1} of ${links.length}` : "";
  back.disabled = at === 0;
  next.disabled = at === links.length - 1;
  if (download) download.href = link.href.replace(/\?.*|$/, "/download");
  load(link.href);
}

links.forEach((link, i) => {
  link.addEventListener("click", (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    show(i);
    dialog.showModal();
    frame.focus();
  });
});
const by = (step) => links[at + step] && dialog.open && show(at + step);
back.addEventListener("click", () => by(-1));
next.addEventListener("click", () => by(1));
addEventListener("keydown", (e) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  if (step && !e.altKey && !e.ctrlKey && !e.metaKey) by(step);
});
// The frame has the focus at first. It passes on arrows that it does not use.
addEventListener("message", ({ source, data }) => {
  const step = data?.vitrine?.step;
  if (source === frame.contentWindow && (step === 1 || step === -1)) by(step);
});
close.addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (e) => e.target === dialog && dialog.close());
dialog.addEventListener("close", () => {
  if (dialog.open) return; // the next file was quicker
  frame.remove();
  links[at].focus();
});
