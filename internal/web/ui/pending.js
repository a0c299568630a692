// Files that were chosen before sign-in. They wait only in this browser, for at
// most two hours.
const LIFE = 2 * 60 * 60 * 1000;

const open = () =>
  new Promise((done, fail) => {
    const request = indexedDB.open("vitrine", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("pending");
    request.onsuccess = () => done(request.result);
    request.onerror = request.onblocked = () => fail(request.error ?? new Error("blocked"));
  });

// within runs a function on the store in one durable transaction and returns
// its result.
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

// The mark says that the waiting files were chosen in this tab just now, so
// that the dashboard does not ask about them. It lasts as long as the tab, also
// through sign-in.
const MARK = "pending";
const tab = (act) => {
  try {
    return act(sessionStorage);
  } catch {
    return null; // the dashboard asks
  }
};

// mark records that the user leaves this page to continue with the waiting
// files. unmark removes the mark and returns whether it was set.
export const mark = () => tab((store) => store.setItem(MARK, "yes"));
export const unmark = () =>
  tab((store) => {
    const was = store.getItem(MARK) === "yes";
    store.removeItem(MARK);
    return was;
  }) ?? false;

// put stores files and replaces those that waited. It fails if the browser
// stores nothing or has no room.
export const put = (files) => within("readwrite", (store) => store.put({ at: Date.now(), files: [...files] }, "files"));

// peek returns the waiting files and keeps them.
export const peek = async () => {
  try {
    return fresh(await within("readonly", (store) => store.get("files")));
  } catch {
    return [];
  }
};

// named returns what a page calls files: the name of one, or how many they are.
export const named = (files) => (files.length === 1 ? files[0].name : `${files.length} files`);

// discard deletes the waiting files.
export const discard = () => {
  unmark();
  return within("readwrite", (store) => store.clear()).catch(() => {});
};

// take returns the waiting files and deletes them. It returns [] if there are
// none, or if none can be read any more.
export const take = async () => {
  const files = await peek();
  await discard();
  return files;
};
