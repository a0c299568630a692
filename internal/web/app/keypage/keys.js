// A key that was just made is selected, so that it can be copied by hand, too; and it does not come back with the page.
const key = document.getElementById("key");
if (key) {
  getSelection().selectAllChildren(key);
  history.replaceState(null, "", "/keys");
}
