// What can be said of a file before it is sent: by its name and its size. The server has the last word.
import { bytes } from "../../ui/size.js";

// extension is the last extension of a name, in lower case; "" if it has none.
const extension = (name) => /[^.]\.([^.]+)$/.exec(name)?.[1].trim().toLowerCase() ?? "";

// refusal says why a file is not taken; "" if nothing is known against it. accepts and programs are sets of extensions;
// limit is the largest size in bytes, 0 for none.
export const refusal = ({ name, size }, { accepts, programs, limit }) => {
  const ext = extension(name);
  if (!ext) return 'The name has no extension, such as ".pdf". Add the one that fits the content.';
  if (programs.has(ext)) return `Programs and scripts (.${ext}) are not accepted.`;
  if (!accepts.has(ext))
    return `Files of this type (.${ext}) are not accepted. Pack the file into a ZIP, or convert it.`;
  if (size === 0) return "The file is empty.";
  if (limit && size > limit) return `It has ${bytes(size)}. The limit is ${bytes(limit)} per file.`;
  return "";
};

// left are names of files that systems keep in folders. Nobody means to publish them.
const left = (name) => name.startsWith(".") || ["thumbs.db", "desktop.ini"].includes(name.toLowerCase());

// mostInFolder is how many files are taken of folders at once.
export const mostInFolder = 500;

const byName = new Intl.Collator("en", { numeric: true });

// filesIn reads the files of dropped entries: each folder with its folders, in the order of their names. It answers at
// most one more than mostInFolder.
export const filesIn = async (entries) => {
  const files = [];
  const walk = async (entry) => {
    if (files.length > mostInFolder) return;
    if (entry.isFile) {
      files.push(await new Promise((done, fail) => entry.file(done, fail)));
      return;
    }
    const reader = entry.createReader();
    const inside = [];
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail)); // a hundred at a time
      if (!some.length) break;
      inside.push(...some);
      if (inside.length > mostInFolder) break;
    }
    inside.sort((a, b) => byName.compare(a.name, b.name));
    for (const entry of inside) if (!left(entry.name)) await walk(entry);
  };
  for (const entry of entries) await walk(entry);
  return files;
};

// ofFolder are the files that a chooser of folders gave, in the order of their paths.
export const ofFolder = (files) =>
  [...files]
    .filter((f) => !f.webkitRelativePath.split("/").some(left))
    .sort((a, b) => byName.compare(a.webkitRelativePath, b.webkitRelativePath));
