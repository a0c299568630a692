// Publish a report, replace it at the same address, and read how it was read.
//
//   VITRINE_SERVER=https://share.example VITRINE_API_KEY=vtr_… node loop.js
//
// The types are made from the description of the API:
//
//   npx openapi-typescript https://share.example/api/v1/openapi.json -o schema.d.ts
import type { components } from "./schema";

type Schemas = components["schemas"];

const api = `${(process.env.VITRINE_SERVER ?? "").replace(/\/$/, "")}/api/v1`;
const key = process.env.VITRINE_API_KEY ?? "";

/** The instance has refused a request. body.code is for programs, the message for people. */
class Refused extends Error {
  constructor(readonly body: Schemas["Error"]) {
    super(`${body.code}: ${body.error}`);
  }
}

/** Asks the API, again while it says that it will pass. */
async function call<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<{ data: T; etag: string }> {
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(api + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "User-Agent": "loop.ts/1.0", ...headers },
      body: body && JSON.stringify(body),
    });
    if (answer.ok) {
      const text = await answer.text();
      return { data: (text ? JSON.parse(text) : undefined) as T, etag: answer.headers.get("ETag") ?? "" };
    }
    if ((answer.status !== 429 && answer.status !== 503) || attempt === 4) throw new Refused((await answer.json()) as Schemas["Error"]);
    await new Promise((done) => setTimeout(done, Math.min(Number(answer.headers.get("Retry-After") ?? 1), 30) * 1000));
  }
}

/** The three steps from bytes to a link. A retry makes no second link. */
async function publish(name: string, type: string, content: string, more: { replace?: string; linkName?: string } = {}): Promise<Schemas["Link"]> {
  const { linkName, ...both } = more;
  const file = { name, type, idempotencyKey: crypto.randomUUID(), ...both };
  const bytes = new TextEncoder().encode(content);
  const begun = await call<Schemas["SignedUpload"] | Schemas["ExistingUpload"]>("POST", "/uploads", { ...file, size: bytes.length } satisfies Schemas["UploadRequest"]);
  if ("existing" in begun.data) return begun.data.existing;
  // The signed address needs no key.
  const put = await fetch(begun.data.signedUrl, { method: "PUT", headers: { "Content-Type": type }, body: bytes });
  if (!put.ok) throw new Error(`the bytes were not taken: ${put.status}`);
  const complete: Schemas["CompleteRequest"] = { ...file, path: begun.data.path };
  if (linkName) complete.linkName = linkName;
  return (await call<Schemas["Link"]>("POST", "/uploads/complete", complete)).data;
}

async function main(): Promise<void> {
  const link = await publish("report.md", "text/markdown", "# Report\n\nFirst figures.\n", { linkName: "Report" });
  console.log(link.url);

  await publish("report.md", "text/markdown", "# Report\n\nCorrected figures.\n", { replace: link.slug });

  // Change only what was seen: with another ETag the answer is 412.
  const seen = await call<Schemas["LinkDetail"]>("GET", `/links/${link.slug}`);
  const change: Schemas["LinkChange"] = { title: "Report, corrected" };
  const changed = await call<Schemas["LinkDetail"]>("PATCH", `/links/${link.slug}`, change, { "If-Match": seen.etag });
  console.log(changed.data.title, "is version", changed.data.version);
  try {
    await call("PATCH", `/links/${link.slug}`, { title: "Too late" }, { "If-Match": seen.etag });
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    console.log("refused:", e.body.code, "because it is now", e.body.current?.title);
  }

  const report = (await call<Schemas["LinkReport"]>("GET", `/links/${link.slug}/analytics?range=7d`)).data;
  console.log(report.totals.views, "views");
  for (const i of report.insights) console.log(`${i.label}: ${i.value} ${i.detail}`);

  try {
    await publish("setup.txt", "text/plain", "#!/bin/sh\necho\n");
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    console.log("refused:", e.body.code);
  }
}

void main();
