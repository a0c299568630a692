// The three steps by the functions that @hey-api/openapi-ts makes.
import { client } from "./sdk/client.gen";
import { completeUpload, createUpload, putFile } from "./sdk";

const [, , baseUrl = "", key = ""] = process.argv;
client.setConfig({ baseUrl, auth: key });

async function main(): Promise<void> {
  const content = "by generated functions";
  const file = { name: "sdk.txt", type: "text/plain", size: content.length };
  const begun = await createUpload({ body: file });
  if (!begun.data || "existing" in begun.data) throw new Error(`step 1: ${JSON.stringify(begun.error)}`);
  const { path, signedUrl } = begun.data;
  const to = new URL(signedUrl);
  const query = Object.fromEntries(to.searchParams) as Record<"expires" | "signature" | "size" | "type", string>;
  for (const round of [1, 2]) {
    const put = await putFile({
      baseUrl: to.origin,
      path: { key: path },
      query,
      body: new Blob([content]),
      headers: { "Content-Type": file.type },
    });
    if (!put.data) throw new Error(`step 2, PUT ${round}: ${JSON.stringify(put.error)}`);
  }
  const link = await completeUpload({ body: { path, name: file.name, type: file.type } });
  if (!link.data) throw new Error(`step 3: ${JSON.stringify(link.error)}`);
  console.log(link.data.url);
}

main().catch((err: unknown) => {
  console.error(err);
  process.exitCode = 1;
});
