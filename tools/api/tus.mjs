// Uploads a file with the tus client of another project, in chunks. Arguments:
// the address of the API, a key, the origin through which the chunks go, the
// file and the size of a chunk. It prints the link.
import { createReadStream, statSync } from "node:fs";
import { basename } from "node:path";
import * as tus from "tus-js-client";

const [api, key, through, path, chunkSize] = process.argv.slice(2);
const post = async (step, body) => {
  const answer = await fetch(api + step, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(said));
  return said;
};

const file = { name: basename(path), type: "text/plain" };
const uploadSize = statSync(path).size;
const begun = await post("/uploads", { ...file, size: uploadSize });
const address = new URL(begun.resumableUrl);
await new Promise((onSuccess, onError) =>
  new tus.Upload(createReadStream(path), {
    uploadUrl: through + address.pathname + address.search,
    uploadSize,
    chunkSize: Number(chunkSize),
    retryDelays: Array(20).fill(10),
    onSuccess,
    onError,
  }).start(),
);
console.log((await post("/uploads/complete", { ...file, path: begun.path })).url);
