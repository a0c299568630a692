// Writes a ZIP in the browser. Stored files are read from the disk while the
// ZIP is sent. Only text, which compresses well, is compressed first, one file
// at a time.
const maxBytes = 0xffffffff; // bytes of a ZIP without 64-bit numbers
export const mostFiles = 10_000; // per website
const packs =
  /\.(html?|xhtml|css|m?js|json|map|webmanifest|xml|xsl|txt|md|csv|svg|rss|atom|jsonld|geojson|vtt|ics|gltf|wasm|ttf|otf|eot|ico|bmp)$/i;
const mostPacked = 32 << 20; // bytes; larger files are stored uncompressed

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});
const crcOf = (bytes, crc) => {
  for (let i = 0; i < bytes.length; i++) crc = crcTable[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
  return crc;
};

// deflated returns bytes in the compression of ZIPs, or null if the browser
// does not support it.
const deflated = async (bytes) => {
  try {
    return await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).blob();
  } catch {
    return null;
  }
};

// record returns the bytes of numbers. A pair is a value and its width in
// bytes.
const record = (...pairs) => {
  const view = new DataView(new ArrayBuffer(pairs.reduce((n, [, width]) => n + width, 0)));
  let at = 0;
  for (const [value, width] of pairs) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return view.buffer;
};

export class TooMuch extends Error {}

// zip packs files, each {path, file}, into a Blob. It writes no times, so the
// same files make the same bytes.
export const zip = async (files, { onprogress = () => {}, signal } = {}) => {
  if (files.length > mostFiles)
    throw new TooMuch(`The folder has ${files.length} files. A website has at most ${mostFiles.toLocaleString("en")}.`);
  const total = files.reduce((n, f) => n + f.file.size, 0);
  const parts = [];
  const directory = [];
  let at = 0;
  let done = 0;
  for (const { path, file } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    signal?.throwIfAborted();
    let crc = 0xffffffff;
    let content = file;
    let method = 0;
    if (packs.test(path) && file.size <= mostPacked) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      crc = crcOf(bytes, crc);
      const small = await deflated(bytes);
      if (small && small.size < bytes.length) [content, method] = [small, 8];
      done += bytes.length;
      onprogress(done, total);
    } else {
      const reader = file.stream().getReader();
      for (;;) {
        const chunk = await reader.read();
        if (chunk.done) break;
        signal?.throwIfAborted();
        crc = crcOf(chunk.value, crc);
        done += chunk.value.length;
        onprogress(done, total);
      }
    }
    crc = (crc ^ 0xffffffff) >>> 0;
    const name = new TextEncoder().encode(path);
    // version, flags (names are UTF-8), method, time, date, checksum, sizes,
    // lengths
    const facts = [
      [20, 2],
      [0x800, 2],
      [method, 2],
      [0, 2],
      [0x21, 2],
      [crc, 4],
      [content.size, 4],
      [file.size, 4],
      [name.length, 2],
      [0, 2],
    ];
    if (name.length > 0xffff || at + 30 + name.length + content.size > maxBytes - 46 * mostFiles)
      throw new TooMuch("The folder is larger than 4 GB. Leave out large files and upload them as links.");
    parts.push(record([0x04034b50, 4], ...facts), name, content);
    directory.push(record([0x02014b50, 4], [20, 2], ...facts, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), name);
    at += 30 + name.length + content.size;
  }
  const size = directory.reduce((n, p) => n + p.byteLength, 0);
  const end = record([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
};

// hidden reports whether no website serves a path. Such files are not sent.
export const hidden = (path) => path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX");
