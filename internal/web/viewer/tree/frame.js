// In the frame of a file of an archive, the left and right arrows open the
// files beside it, unless the file scrolls or plays by them.
addEventListener("keydown", (e) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  const wide = [e.target, document.scrollingElement].some((x) => x && x.scrollWidth > x.clientWidth);
  if (!step || e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || wide || /^(AUDIO|VIDEO)$/.test(e.target.tagName))
    return;
  e.preventDefault();
  parent.postMessage({ vitrine: { step } }, "*");
});
