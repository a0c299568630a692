// Calls one tool by the official client of the Model Context Protocol:
//   node agent.mjs http URL KEY TOOL ARGUMENTS
//   node agent.mjs stdio PROGRAM FOLDER TOOL ARGUMENTS
// It prints the tools that are offered and the result of the call, as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ProgressNotificationSchema, ResultSchema } from "@modelcontextprotocol/sdk/types.js";

const [, , way, ...rest] = process.argv;
let transport;
if (way === "http") {
  const [url, key] = rest.splice(0, 2);
  transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${key}` } } });
} else {
  const [program, root] = rest.splice(0, 2);
  transport = new StdioClientTransport({ command: program, args: ["mcp", "--root", root], env: process.env });
}
const [name, text] = rest;
const client = new Client({ name: "example-agent", version: "2.1.0" });
await client.connect(transport);
const { tools } = await client.listTools(); // with the schemas of results, which callTool checks
// Of what arrives together with the result, onprogress would miss all but the
// first.
const progress = [];
client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => progress.push([params.progress, params.total]));
// An error of the protocol has a code and does not end the session.
const unknown = await client.request({ method: "no/such" }, ResultSchema).then(() => "answered", (e) => e.code);
const answer = await client.callTool({ name, arguments: JSON.parse(text) }, undefined, { onprogress() {} });
console.log(JSON.stringify({
  server: client.getServerVersion(),
  tools: tools.map((t) => t.name),
  refused: answer.isError === true,
  text: answer.content.map((c) => c.text).join("\n"),
  data: answer.structuredContent,
  progress,
  unknown,
}));
await client.close();
