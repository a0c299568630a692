// Selects a new key, so that people can also copy it by hand. Changes the
// address, so that a reload does not show the key again.
const key = document.getElementById("key");
if (key) {
  getSelection().selectAllChildren(key);
  history.replaceState(null, "", "/keys");
}
