// Files that somebody has chosen before they had signed in. They wait in this browser and nowhere else, for two hours at most.
const LIFE = 2 * 60 * 60 * 1000;

const open = () =>
  new Promise((done, fail) => {
    const request = indexedDB.open("vitrine", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("pending");
    request.onsuccess = () => done(request.result);
    request.onerror = request.onblocked = () => fail(request.error ?? new Error("blocked"));
  });

// within does one thing with the store, durably, and answers what came of it.
const within = async (mode, act) => {
  const db = await open();
  try {
    return await new Promise((done, fail) => {
      const all = db.transaction("pending", mode);
      const request = act(all.objectStore("pending"));
      all.oncomplete = () => done(request?.result);
      all.onerror = all.onabort = () => fail(all.error);
    });
  } finally {
    db.close();
  }
};

const fresh = (kept) => (kept && Date.now() - kept.at < LIFE ? kept.files : []);

// What a person has just chosen in this tab they need not be asked about again: the mark goes with the tab, through sign-in, and no further.
const MARK = "pending";
const tab = (act) => {
  try {
    return act(sessionStorage);
  } catch {
    return null; // one is asked
  }
};

// mark says that whoever leaves this page goes on with the files that wait; unmark takes that back, and answers whether it was so.
export const mark = () => tab((store) => store.setItem(MARK, "yes"));
export const unmark = () =>
  tab((store) => {
    const was = store.getItem(MARK) === "yes";
    store.removeItem(MARK);
    return was;
  }) ?? false;

// put keeps files in place of those that waited. It fails where the browser keeps nothing, or has no room.
export const put = (files) => within("readwrite", (store) => store.put({ at: Date.now(), files: [...files] }, "files"));

// peek answers the files that wait, and leaves them.
export const peek = async () => {
  try {
    return fresh(await within("readonly", (store) => store.get("files")));
  } catch {
    return [];
  }
};

// named is what to call them.
export const named = (files) => (files.length === 1 ? files[0].name : `${files.length} files`);

// forget lets go of them.
export const forget = () => {
  unmark();
  return within("readwrite", (store) => store.clear()).catch(() => {});
};

// take answers the files that wait, once: they wait no more. It answers [] when there are none, or none that can still be read.
export const take = async () => {
  const files = await peek();
  await forget();
  return files;
};
