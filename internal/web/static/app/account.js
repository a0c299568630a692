// One's own account: after a failure the form that failed is in view.
document.querySelector(".account .wrong")?.closest("section")?.scrollIntoView();
