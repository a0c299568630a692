import assert from "node:assert/strict";
import test from "node:test";
import { answer, parse } from "../passkey.js";

test("options have bytes, also those that base64 writes in its own letters", () => {
  const options = parse(
    '{"challenge":"-_8","rpId":"a.example","user":{"id":"AQI","name":"a"},"excludeCredentials":[{"id":"Aw","type":"public-key"}]}',
  );
  assert.deepEqual([...options.challenge], [251, 255]);
  assert.deepEqual([...options.user.id], [1, 2]);
  assert.deepEqual([...options.excludeCredentials[0].id], [3]);
  assert.equal(options.rpId, "a.example");
});

test("an answer is the text that the server reads, without what is missing", () => {
  const buffer = (...bytes) => new Uint8Array(bytes).buffer;
  const text = answer({
    id: "AQ",
    type: "public-key",
    response: {
      clientDataJSON: buffer(251, 255),
      authenticatorData: buffer(1),
      signature: buffer(2),
      userHandle: null,
    },
  });
  assert.deepEqual(JSON.parse(text), {
    id: "AQ",
    rawId: "AQ",
    type: "public-key",
    response: { clientDataJSON: "-_8", authenticatorData: "AQ", signature: "Ag" },
    clientExtensionResults: {},
  });
});
