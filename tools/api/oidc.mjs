// Is a provider of OpenID Connect, for tests, on a port of this machine:
//   node oidc.mjs PATH CALLBACK...
// PATH is that of its issuer, such as /realms/acme/, or "". It prints its
// issuer, and goes on until its input ends. POST /control with JSON changes it:
//   users   who can sign in, by sub, with their claims; others are unknown
//   wrong   claims that ID tokens then have instead of the right ones
//   inside  whether ID tokens have all claims; otherwise userinfo does
//   refresh whether refresh tokens are issued
//   rotate  new keys
//   ahead   seconds by which its clock is ahead
//   down    connections are cut
//   huge    answers are larger than documents are
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { exportJWK, importJWK, SignJWT, decodeJwt } from "jose";
import { Provider } from "oidc-provider";

const [, , path, ...callbacks] = process.argv;
const root = path.replace(/\/$/, "");
const state = { users: {}, wrong: {}, inside: false, refresh: true, ahead: 0 };
const realNow = Date.now;
Date.now = () => realNow() + state.ahead * 1000;

let issuer, key, answer, asked;

async function renew(keep) {
  if (!keep) key = { ...(await exportJWK(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey)), kid: randomUUID(), alg: "RS256", use: "sig" };
  const provider = new Provider(issuer, {
    jwks: { keys: [key] },
    clients: [
      { client_id: "vitrine", client_secret: "s3cret:@/?#%&+", redirect_uris: callbacks, grant_types: ["authorization_code", "refresh_token"] },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified", "groups", "realm_access"] },
    conformIdTokenClaims: !state.inside,
    pkce: { required: () => true },
    cookies: { keys: ["a key"] },
    features: { devInteractions: { enabled: true } },
    issueRefreshToken: async () => state.refresh,
    findAccount: async (_, id) => (state.users[id] ?? undefined) && { accountId: id, claims: async () => ({ sub: id, ...state.users[id] }) },
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({ accountId: ctx.oidc.session.accountId, clientId: ctx.oidc.client.clientId });
      grant.addOIDCScope("openid email offline_access");
      await grant.save();
      return grant;
    },
    ttl: { AuthorizationCode: 60, AccessToken: 3600, IdToken: 3600, RefreshToken: 86400, Grant: 86400, Session: 86400, Interaction: 3600 },
  });
  provider.use(async (ctx, next) => {
    await next();
    if (!ctx.body?.id_token || Object.keys(state.wrong).length === 0) return;
    const claims = { ...decodeJwt(ctx.body.id_token), ...state.wrong };
    ctx.body.id_token = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.kid }).sign(await importJWK(key, "RS256"));
  });
  provider.on("server_error", (_, error) => console.error(error));
  answer = provider.callback();
}

async function control(req, res) {
  let text = "";
  for await (const part of req) text += part;
  const change = JSON.parse(text);
  Object.assign(state, change);
  if (change.rotate || "inside" in change) await renew(!change.rotate);
  res.end(JSON.stringify(asked));
}

asked = {};
const server = createServer((req, res) => {
  if (req.url === "/control") return control(req, res);
  const name = req.url.split("?")[0];
  asked[name] = (asked[name] ?? 0) + 1;
  if (state.down) return req.socket.destroy();
  if (state.huge) return res.end(" ".repeat(3 << 20));
  if (!req.url.startsWith(root)) return res.writeHead(404).end();
  req.originalUrl = req.url;
  req.url = req.url.slice(root.length) || "/";
  answer(req, res);
});
server.listen(0, "127.0.0.1", async () => {
  issuer = `http://127.0.0.1:${server.address().port}${path}`;
  await renew();
  console.log(issuer);
});
process.stdin.resume().on("end", () => process.exit());
