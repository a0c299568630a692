// Receives webhooks, and verifies them with the library of Standard Webhooks.
// It prints its port, then reads secrets from its input, one a line, and prints
// a line for each message: its ID and type, and which of the secrets so far
// verify it.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";

const secrets = [];
createInterface({ input: process.stdin }).on("line", (line) => secrets.push(line));
const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const body = Buffer.concat(parts).toString();
    const verified = secrets.map((secret) => {
      try {
        return new Webhook(secret).verify(body, request.headers).type === JSON.parse(body).type;
      } catch {
        return false;
      }
    });
    console.log(JSON.stringify({ id: request.headers["webhook-id"], type: JSON.parse(body).type, verified }));
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
