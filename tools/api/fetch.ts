// The three steps by the client of openapi-fetch, with types by
// openapi-typescript.
import createClient from "openapi-fetch";
import type { paths } from "./schema";

const [, , baseUrl = "", key = ""] = process.argv;
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

async function main(): Promise<void> {
  const content = "by openapi-fetch";
  const file = { name: "fetch.txt", type: "text/plain", size: content.length };
  const begun = await api.POST("/uploads", { body: file });
  if (!begun.data || "existing" in begun.data) throw new Error(`step 1: ${JSON.stringify(begun)}`);
  const { path, signedUrl } = begun.data;
  const to = new URL(signedUrl);
  const query = Object.fromEntries(to.searchParams) as Record<"expires" | "signature" | "size" | "type", string>;
  for (const round of [1, 2]) {
    const put = await api.PUT("/storage/{key}", {
      baseUrl: to.origin,
      params: { path: { key: path }, query },
      body: content,
      bodySerializer: (text: string) => text,
      headers: { "Content-Type": file.type, Authorization: null },
    });
    if (!put.data) throw new Error(`step 2, PUT ${round}: ${JSON.stringify(put.error)}`);
  }
  const link = await api.POST("/uploads/complete", { body: { path, name: file.name, type: file.type } });
  if (!link.data) throw new Error(`step 3: ${JSON.stringify(link.error)}`);
  console.log(link.data.url);
}

main().catch((err: unknown) => {
  console.error(err);
  process.exitCode = 1;
});
