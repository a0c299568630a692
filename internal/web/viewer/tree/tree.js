// What is in an archive: a file of it opens over the list.
const dialog = document.getElementById("entry");
const frame = document.createElement("iframe");
frame.name = "entry";
frame.title = "File of the archive";
frame.allow = "fullscreen";
frame.sandbox = "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals";
dialog.querySelector("div").append(frame);

for (const link of document.querySelectorAll('.tree a[target="entry"]')) {
  link.addEventListener("click", (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey) return;
    document.getElementById("entry-name").textContent = link.textContent;
    dialog.showModal();
    frame.focus();
  });
}
document.getElementById("entry-close").addEventListener("click", () => dialog.close());
dialog.addEventListener("click", (e) => e.target === dialog && dialog.close());
// What was shown goes away, and is no step back in the history.
dialog.addEventListener("close", () => frame.contentWindow.location.replace("about:blank"));
