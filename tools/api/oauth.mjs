// Connects to the tools of an instance by OAuth, with the official client of
// the Model Context Protocol:
//   node oauth.mjs URL COOKIE CALLBACK [DOCUMENT]
// DOCUMENT is the client_id; without it, the client registers. The cookie is
// that of a person, who allows the key. It publishes a text, reads its report,
// prints both as JSON, waits for a line, and prints how the next call ends.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [, , url, cookie, callback, document] = process.argv;
const kept = document ? { client: { client_id: document } } : {};
const provider = {
  redirectUrl: callback,
  clientMetadata: {
    client_name: "Example agent",
    redirect_uris: [callback],
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  state: () => "a-state",
  clientInformation: () => kept.client,
  saveClientInformation: (client) => {
    kept.client = client;
  },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => {
    kept.tokens = tokens;
  },
  redirectToAuthorization: (to) => {
    kept.asked = to;
  },
  saveCodeVerifier: (verifier) => {
    kept.verifier = verifier;
  },
  codeVerifier: () => kept.verifier,
};

// allow answers for the person, in their browser.
async function allow(question) {
  const origin = new URL(question).origin;
  const page = await fetch(question, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: cookie, Origin: origin, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ answer: "allow", scope: "publish", expires: "30d" }),
  });
  const answer = new URL(page.headers.get("Refresh").replace("0; url=", "")).searchParams;
  if (answer.get("state") !== "a-state" || answer.get("iss") !== origin) throw new Error(`answered ${answer}`);
  return answer.get("code");
}

async function connect() {
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const client = new Client({ name: "example-agent", version: "1.0.0" });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!kept.asked || kept.tokens) throw error;
    await transport.finishAuth(await allow(kept.asked));
    return connect();
  }
}

const client = await connect();
const tools = (await client.listTools()).tools.map((t) => t.name);
const made = await client.callTool({ name: "publish_text", arguments: { name: "notes.md", content: "# Notes\n" } });
const { slug } = made.structuredContent;
const report = await client.callTool({ name: "link_report", arguments: { slug } });
console.log(JSON.stringify({ tools, slug, views: report.structuredContent?.totals?.views, scope: kept.tokens.scope }));
for await (const _ of createInterface({ input: process.stdin })) break;
kept.asked = undefined;
const end = await client.callTool({ name: "get_link", arguments: { slug } }).then(() => "answered", (e) => e.name);
console.log(JSON.stringify({ end, asked: Boolean(kept.asked) }));
process.exit(0);
