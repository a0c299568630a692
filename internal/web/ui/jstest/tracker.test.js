// What a page measures and sends, as docs/reference/beacon.md says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import { FakePage } from "./fakepage.js";

const box = (top, height) => ({ getBoundingClientRect: () => ({ top, height, bottom: top + height }) });
const film = (more) => ({ paused: false, ended: false, ...box(0, 400), ...more });

test("time is engaged until 30 s after the last input", () => {
  const p = new FakePage();
  p.pass(36);
  p.input();
  p.pass(2.5009);
  const { engaged, present } = p.leave();
  assert.equal(engaged, 32_500); // whole ms
  assert.equal(present, 38_500);
});

test("input while engaged moves the end", () => {
  const p = new FakePage();
  p.pass(20);
  p.input();
  p.pass(60);
  assert.equal(p.leave().engaged, 50_000);
});

for (const type of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove", "scroll"]) {
  test(`${type} is input`, () => {
    const p = new FakePage();
    p.pass(40);
    p.window.fire(type);
    p.pass(5);
    assert.equal(p.leave().engaged, 35_000);
  });
}

test("time while hidden is neither engaged nor present", () => {
  const p = new FakePage();
  p.pass(2.5);
  p.show(false);
  p.pass(10);
  assert.deepEqual([p.last.engaged, p.last.present], [2500, 2500]);
  p.show(true);
  p.pass(2.25);
  const { engaged, present } = p.leave();
  assert.deepEqual([engaged, present], [4750, 14_750]);
});

test("time without the focus is present only", () => {
  const p = new FakePage({ focus: false });
  p.pass(5);
  const { engaged, present } = p.leave();
  assert.deepEqual([engaged, present], [0, 5000]);
});

test("sleep adds one tick of 1.5 s at most", () => {
  const p = new FakePage();
  p.pass(5);
  p.sleep(3600);
  p.pass(5);
  assert.equal(p.leave().engaged, 6500);
});

test("input in the content frame stands for the focus for 30 s", () => {
  const p = new FakePage({ frame: true, focus: false, kind: "pages" });
  p.pass(2);
  p.tells({ active: true });
  p.pass(40);
  assert.equal(p.leave().engaged, 30_000);
});

test("input in a user's HTML does not stand for the focus", () => {
  const p = new FakePage({ frame: true, focus: false });
  p.tells({ active: true });
  p.pass(10);
  assert.equal(p.leave().engaged, 0);
});

test("a medium that plays in view needs no input", () => {
  const p = new FakePage({ kind: "media", media: film() });
  p.pass(100);
  p.media.paused = true;
  p.media.fire("pause");
  p.pass(100);
  assert.equal(p.leave().engaged, 100_000);
});

for (const [how, more] of Object.entries({ ended: { ended: true }, above: box(-500, 400), below: box(900, 400) })) {
  test(`a medium does not play in view: ${how}`, () => {
    const p = new FakePage({ kind: "media", media: film(more) });
    p.pass(100);
    assert.equal(p.leave().engaged, 30_000);
  });
}

test("ranges played, each cut to ms", () => {
  const ranges = [
    [0, 1.5],
    [10, 12.25],
  ];
  const played = { length: 2, start: (i) => ranges[i][0], end: (i) => ranges[i][1] };
  const p = new FakePage({ kind: "media", media: film({ duration: 60.5, played }) });
  const { duration, played: ms, reached } = p.leave();
  assert.deepEqual({ duration, ms, reached }, { duration: 60_500, ms: 3750, reached: 12_250 });
});

test("a medium without an end has no length", () => {
  const p = new FakePage({ kind: "media", media: film({ duration: Infinity, played: { length: 0 } }) });
  assert.deepEqual(Object.keys(p.leave()), ["at", "way", "address", "engaged", "width", "present", "final"]);
});

test("time belongs to the pages in view in equal parts", () => {
  const p = new FakePage({ kind: "pages", frame: true });
  p.tells({ shown: [1] });
  p.pass(4);
  p.tells({ shown: [1, 2] });
  p.pass(3);
  p.tells({ shown: [3] });
  p.pass(0.75);
  const { engaged, pages } = p.leave();
  assert.deepEqual({ engaged, pages }, { engaged: 7750, pages: { 1: 5500, 2: 1500 } }); // page 3: below a second
});

test("the 220 pages looked at last fit into 4 KiB", () => {
  const p = new FakePage({ kind: "pages", frame: true });
  for (let n = 10_001; n <= 10_300; n++) {
    p.input();
    p.tells({ shown: [n] });
    p.pass(1);
  }
  p.input();
  p.tells({ shown: [10_005] });
  p.pass(1);
  const { pages } = p.leave();
  const want = [...Array.from({ length: 219 }, (_, i) => 10_082 + i), 10_005].map(String).sort();
  assert.deepEqual(Object.keys(pages).sort(), want);
  assert.equal(pages[10_005], 2000);
  assert.ok(p.size <= 4096, `${p.size} bytes`);
});

test("time on a page belongs to its quarters in view in equal parts", () => {
  const p = new FakePage({ kind: "pages", frame: true });
  p.tells({ shown: [1], bands: [0b0011] });
  p.pass(4);
  p.tells({ shown: [1, 2], bands: [0b1000, 0b0001] });
  p.pass(4);
  p.tells({ shown: [3], bands: [0b1111] });
  p.pass(0.75);
  p.tells({ shown: [4] }); // whose quarters are not known
  p.pass(2);
  const { pages, bands } = p.leave();
  assert.deepEqual({ ...pages }, { 1: 6000, 2: 2000, 4: 2000 });
  assert.deepEqual({ ...bands }, { 1: [2000, 2000, 0, 2000], 2: [2000, 0, 0, 0] });
});

for (const [clicked, most, banded] of [
  [0, 160, 40],
  [20, 60, 20],
]) {
  test(`${most} pages, the bands of ${banded} and ${clicked} links fit into 4 KiB, whatever they are`, () => {
    const p = new FakePage({ kind: "pages", frame: true, webdriver: true });
    for (let i = 0; i < clicked; i++) p.tells({ click: `https://a.test/${`${i}`.padStart(185, "x")}`, part: 99_000 });
    for (let n = 99_001; n <= 99_300; n++) {
      for (let i = 0; i < (n > 99_300 - most ? 200 : 1); i++) {
        p.input();
        p.tells({ shown: [n], bands: [0b1111] });
        p.pass(1);
      }
    }
    p.download.fire("click");
    const { pages, bands } = p.leave();
    assert.equal(Object.keys(pages).length, most);
    assert.deepEqual(
      Object.keys(bands).map(Number),
      Array.from({ length: banded }, (_, i) => 99_301 - banded + i),
    );
    assert.ok(p.size <= 4096, `${p.size} bytes`);
  });
}

test("a frame is believed only as far as it can be true", () => {
  const p = new FakePage({ kind: "pages", frame: true });
  p.tells("shown");
  p.tells(null);
  p.tells({ shown: 5 });
  p.tells({ shown: [0, -1, 1.5, "2", null, ...Array.from({ length: 20 }, (_, i) => i + 1)] });
  p.tells({ shown: [99] }, {}); // another window
  p.pass(16);
  assert.deepEqual(p.leave().pages, Object.fromEntries(Array.from({ length: 16 }, (_, i) => [i + 1, 1000])));
});

test("a page without pages ignores them", () => {
  const p = new FakePage({ frame: true });
  p.tells({ shown: [1] });
  p.pass(5);
  assert.equal(p.leave().pages, undefined);
});

test("the depth is how much of an item was above the lower edge", () => {
  const item = box(0, 1600);
  const p = new FakePage({ item });
  p.pass(1);
  assert.equal(p.leave().depth, 50);
  Object.assign(item, box(-200, 1600));
  p.pass(1);
  assert.equal(p.leave().depth, 63);
  Object.assign(item, box(100, 1600)); // scrolled back
  p.pass(1);
  assert.equal(p.leave().depth, 63);
  Object.assign(item, box(-5000, 1600));
  p.pass(1);
  assert.equal(p.leave().depth, 100);
});

// sections is an item whose sections begin at these heights, of 3200 in all,
// and that can be scrolled.
function sections(...tops) {
  let top = 0;
  const at = (from, height) => ({
    getBoundingClientRect: () => ({ top: from - top, height, bottom: from + height - top }),
  });
  const marks = tops.map((from) => at(from, 20));
  return { ...at(0, 3200), dataset: { parts: `${tops.length}` }, querySelectorAll: () => marks, to: (y) => (top = y) };
}

test("sections are measured as pages are: from a second on, and not those scrolled past", () => {
  const item = sections(0, 800, 1600, 2400);
  const p = new FakePage({ item });
  const scroll = (y) => {
    item.to(y);
    p.window.fire("scroll");
  };
  p.pass(3);
  scroll(800);
  p.pass(5);
  for (const y of [1000, 1400, 1600, 2000]) {
    scroll(y);
    p.pass(0.2);
  }
  scroll(2400);
  p.pass(2);
  const { pages, engaged } = p.leave();
  assert.deepEqual(
    Object.entries(pages).map(([part, ms]) => [Number(part), Math.round(ms / 1000)]),
    [
      [1, 3],
      [2, 5],
      [4, 2],
    ],
  );
  assert.ok(Object.values(pages).reduce((a, b) => a + b) <= engaged);
});

test("short sections share the time, and slices are parts of content without sections", () => {
  const short = new FakePage({ item: sections(0, 200, 400, 3000) });
  short.pass(6);
  assert.deepEqual({ ...short.leave().pages }, { 1: 1999, 2: 1999, 3: 1999 }); // thirds, rounded down
  const slices = new FakePage({ item: { ...box(-640, 3200), dataset: { parts: "5" }, querySelectorAll: () => [] } });
  slices.pass(4);
  assert.deepEqual({ ...slices.leave().pages }, { 2: 4000 });
});

test("clicks on links count by part and target, 100 of a link, and places in the file do not", () => {
  const item = sections(0, 800, 1600, 2400);
  const p = new FakePage({ item });
  const click = (href, top, button = 0) =>
    item.fire("click", {
      button,
      target: { closest: () => href && { getAttribute: () => href, getBoundingClientRect: () => ({ top }) } },
    });
  click("https://a.test/b", 100);
  click("https://a.test/b", 900);
  click("https://a.test/b", 900, 1);
  click("https://a.test/b", 900, 2); // opens a menu
  click("#start", 100);
  click(null, 100); // not on a link
  for (let i = 0; i < 120; i++) click("mailto:a@b.test", 100);
  const { clicks } = p.leave();
  assert.deepEqual(Object.values(clicks), [1, 2, 100]);
  assert.ok(
    Object.keys(clicks).every((key) => /^[12] /.test(key)),
    Object.keys(clicks).join(),
  );
});

test("slides in a frame are measured, and a frame without parts is not believed", () => {
  const p = new FakePage({ frame: { dataset: { parts: "3" } } });
  p.tells({ shown: [2] });
  p.pass(4);
  assert.deepEqual({ ...p.leave().pages }, { 2: 4000 });
});

test("100 sections fit into a beacon", () => {
  const item = sections(...Array.from({ length: 100 }, (_, i) => i * 32));
  const p = new FakePage({ item });
  for (let i = 0; i < 100; i++) {
    item.to(i * 32);
    p.pass(29);
    p.input();
  }
  assert.equal(Object.keys(p.leave().pages).length, 100);
  assert.ok(p.size < 4096, `${p.size} bytes`);
});

test("an item has no depth before it is loaded, nor while it is hidden", () => {
  const item = { complete: false, ...box(0, 800) };
  const p = new FakePage({ item });
  p.pass(1);
  assert.equal(p.leave().depth, 0);
  p.show(false);
  item.complete = true;
  p.pass(1);
  assert.equal(p.leave().depth, 0);
  p.show(true);
  assert.equal(p.leave().depth, 100);
});

test("the depth of content in a frame is what it tells, 100 at most", () => {
  const p = new FakePage({ frame: true });
  p.tells({ depth: 40 });
  assert.equal(p.leave().depth, 40);
  p.tells({ depth: 400 });
  assert.equal(p.leave().depth, 100);
});

test("a download counts as depth 100 where nothing is shown, and is told at once", () => {
  const p = new FakePage();
  p.pass(2);
  p.download.fire("click");
  assert.deepEqual([p.last.depth, p.last.downloaded, p.last.at], [100, true, 2000]);
  const shown = new FakePage({ item: box(0, 1600) });
  shown.download.fire("click");
  assert.equal(shown.last.depth, 50);
});

test("a browser that a program drives says so", () => {
  assert.equal(new FakePage({ webdriver: true }).leave().automation, true);
  assert.equal(new FakePage().leave().automation, undefined);
});

test("beacons go out at first, after 5, 15 and 30 s, and then every 30 s", () => {
  const p = new FakePage({ kind: "media", media: film() });
  p.pass(130);
  assert.deepEqual(p.times, [0, 5, 15, 30, 60, 90, 120]);
});

test("what has not changed is not sent again", () => {
  const p = new FakePage();
  p.pass(300); // engaged for 30 s
  assert.deepEqual(p.times, [0, 5, 15, 30]);
  p.show(false); // the time of presence is sent when it ends
  assert.deepEqual([p.times.at(-1), p.last.present, p.last.final], [300, 300_000, undefined]);
  p.show(true);
  p.show(false);
  assert.equal(p.sent.length, 5);
});

test("beacons that sleep has kept back are not sent all at once", () => {
  const p = new FakePage({ kind: "media", media: film() });
  p.pass(31);
  p.sleep(1000);
  p.pass(100);
  assert.deepEqual(p.times.slice(4), [1032, 1033, 1062, 1092, 1122]);
});

test("a tab tells nothing before somebody looks at it", () => {
  const p = new FakePage({ hidden: true });
  p.pass(60);
  p.leave();
  assert.equal(p.sent.length, 0);
  p.show(true);
  p.pass(5);
  const { engaged } = p.leave();
  assert.equal(engaged, 0); // the input that opened the page is too old
  p.input();
  p.pass(5);
  assert.equal(p.leave().engaged, 5000);
});

test("a page that goes on sends with fetch, one that is hidden or left with sendBeacon", () => {
  const p = new FakePage();
  p.pass(6);
  p.show(false);
  p.show(true);
  p.pass(1);
  p.leave();
  assert.deepEqual(
    p.sent.map(({ way, final }) => [way, final]),
    [
      ["fetch", undefined],
      ["fetch", undefined],
      ["beacon", undefined],
      ["beacon", true],
    ],
  );
  assert.equal(p.last.address, "/p/x/beacon?v=t");
  p.beacons = false; // the browser's queue is full
  p.leave();
  assert.deepEqual([p.last.way, p.last.final], ["fetch", true]);
});

for (const [how, status, again] of [
  ["without a network", 0, true],
  ["answered 503", 503, true],
  ["refused", 403, false],
]) {
  test(`a beacon ${how} is ${again ? "" : "not "}sent again when the next is due`, async () => {
    const p = new FakePage({ focus: false }); // nothing changes
    await settled();
    p.status = status;
    p.download.fire("click");
    await settled();
    p.status = 204;
    p.pass(20);
    assert.deepEqual(p.times, again ? [0, 0, 5] : [0, 0]);
  });
}

test("what was lost is sent when the network is back", async () => {
  const p = new FakePage();
  p.status = 0;
  p.pass(5);
  await settled();
  p.pass(2);
  p.status = 204;
  p.window.fire("online");
  await settled();
  assert.deepEqual(p.times, [0, 5, 7]);
  p.window.fire("online");
  assert.deepEqual(p.times, [0, 5, 7]);
});

test("the schedule sends 200 beacons at most, leaving and the like 40 more", () => {
  const p = new FakePage({ kind: "media", media: film() });
  p.pass(300 * 30);
  assert.equal(p.sent.length, 200);
  for (let i = 0; i < 50; i++) {
    p.pass(1);
    p.media.fire("ended");
  }
  assert.equal(p.sent.length, 240);
});

test("in another site's page time counts while some of the frame is in view", () => {
  const p = new FakePage({ framed: true, focus: false });
  p.pass(60);
  assert.equal(p.sent.length, 0);
  p.window.inView(true); // counts as input, the first time
  assert.equal(p.sent.length, 1);
  p.pass(10);
  p.window.inView(false);
  p.pass(10);
  p.window.inView(true);
  p.pass(100);
  const { engaged } = p.leave();
  assert.equal(engaged, 20_000); // 60 to 70 and 80 to 90
  p.window.inView(false);
  p.window.inView(true); // not the first time
  p.pass(5);
  assert.equal(p.leave().engaged, 20_000);
  p.input();
  p.pass(5);
  assert.equal(p.leave().engaged, 25_000);
});

test("a medium is told in hundredths of which at least half was played, as runs", () => {
  const ranges = (...all) => ({ length: all.length, start: (i) => all[i][0], end: (i) => all[i][1] });
  const p = new FakePage({
    kind: "media",
    media: film({ duration: 200, played: ranges([0, 2.9], [3.1, 10.9], [50, 51], [52, 52.9], [199, 200]) }),
  });
  p.pass(1);
  assert.deepEqual(p.leave().parts, { 0: 5, 25: 26, 99: 100 });
});
