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

// forget lets go of them.
export const forget = () => within("readwrite", (store) => store.clear()).catch(() => {});

// take answers the files that wait, once: they wait no more. It answers [] when there are none, or none that can still be read.
export const take = async () => {
  const files = await peek();
  await forget();
  return files;
};
