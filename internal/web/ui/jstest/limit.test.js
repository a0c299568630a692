import assert from "node:assert/strict";
import { test } from "node:test";
import { deletable, held, linksInUse, uploadsUsed } from "../../app/limit.js";
import { bytes } from "../size.js";

test("a limit says what unfinished uploads hold, and how long", () => {
  assert.equal(held({ used: 2, limit: 2, held: 0, retryAfter: 0 }, String), "");
  assert.equal(
    held({ used: 2, limit: 2, held: 1, retryAfter: 840 }, String),
    " Unfinished uploads hold 1 of it. They release enough in 14 min.",
  );
  assert.equal(held({ used: 9, limit: 2, held: 1500, retryAfter: 0 }, bytes), " Unfinished uploads hold 1.5 kB of it.");
});

test("one link is in use, and several are", () => {
  assert.equal(linksInUse({ used: 1, limit: 1 }), "Your account’s one link is in use.");
  assert.equal(linksInUse({ used: 2, limit: 2 }), "2 of 2 links are in use.");
  assert.equal(uploadsUsed({ limit: 1 }), "Your account allows one upload per hour.");
  assert.equal(uploadsUsed({ limit: 20 }), "Your account allows 20 uploads per hour.");
});

test("a link is offered for deletion only where there is one", () => {
  assert.equal(deletable({ used: 2, held: 0 }), true);
  assert.equal(deletable({ used: 2, held: 1 }), true);
  assert.equal(deletable({ used: 2, held: 2 }), false);
});
