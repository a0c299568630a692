// Checks files by name and size before they are sent. The server decides.
import { bytes } from "../../ui/size.js";

// extension returns the last extension of a name in lower case, or "".
const extension = (name) => /[^.]\.([^.]+)$/.exec(name)?.[1].trim().toLowerCase() ?? "";

// refusal returns why a file is not accepted, or "" if nothing is known against
// it. accepts and programs are sets of extensions. limit is the largest size in
// bytes, or 0 for none.
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

// left reports whether a name is that of a file that systems keep in folders.
// Such files are not meant to be published.
const left = (name) => name.startsWith(".") || ["thumbs.db", "desktop.ini"].includes(name.toLowerCase());

// mostInFolder is the largest number of files that folders may add at once.
export const mostInFolder = 500;

const byName = new Intl.Collator("en", { numeric: true });

// filesIn returns the files of dropped entries and of the folders in them, in
// the order of their names. It returns at most one more than mostInFolder.
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
      const some = await new Promise((done, fail) => reader.readEntries(done, fail)); // at most a hundred each time
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

// ofFolder returns the files of a folder picker in the order of their paths.
export const ofFolder = (files) =>
  [...files]
    .filter((f) => !f.webkitRelativePath.split("/").some(left))
    .sort((a, b) => byName.compare(a.webkitRelativePath, b.webkitRelativePath));
