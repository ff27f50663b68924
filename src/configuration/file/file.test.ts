import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { beginUpload, until } from "../../../test/helpers/raw-upload.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";

const limit = 3 * 256 * 1024;

/** The files, with a way to send bytes and a real port for what breaks off. */
async function filesApp(t: TestContext) {
  const app = await configurationApp(t, { fileLimit: limit });
  async function upload(
    name: string,
    payload: Buffer | string,
    { query = "", headers = {}, token = app.admin }: Sent = {},
  ) {
    const all = { authorization: `Bearer ${token}`, "content-type": "text/plain", ...headers };
    const response = await app.app.inject({
      method: "POST",
      url: `/file/upload?name=${encodeURIComponent(name)}${query}`,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")),
      payload,
    });
    return { response, status: response.statusCode, body: response.json(), data: response.json().data };
  }
  async function download(id: string, headers: Record<string, string> = {}) {
    return app.app.inject({
      method: "GET",
      url: `/file/${id}/content`,
      headers: { authorization: `Bearer ${app.admin}`, ...headers },
    });
  }
  const count = async (table: string) =>
    (await app.pool.query(`select count(*) as n from ${table}`)).rows[0].n as number;
  return { ...app, upload, download, count };
}
interface Sent {
  query?: string;
  headers?: Record<string, string>;
  token?: string;
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

test("keeps files: uploaded, read, replaced, found, downloaded, deleted", async (t) => {
  const app = await filesApp(t);
  const bytes = randomBytes(2 * 256 * 1024 + 17);
  const name = 'a/b "søk".csv';
  const made = await app.upload(name, bytes, {
    query: "&description=d",
    headers: { "content-type": "text/csv" },
  });
  assert.equal(made.status, 201, made.response.body);
  const { id, createdAt, updatedAt, ...rest } = made.data;
  assert.deepEqual(rest, {
    name,
    description: "d",
    contentType: "text/csv",
    size: bytes.length,
    sha256: sha256(bytes),
    version: 1,
    createdBy: "admin",
    updatedBy: "admin",
  });
  assert.equal(createdAt, updatedAt);
  for (const path of [`/file/${id}`, `/file/name/${encodeURIComponent(name)}`]) {
    assert.deepEqual((await app.call("GET", path)).data, made.data, path);
  }
  assert.deepEqual((await app.call("GET", "/file/options")).body, [{ label: name, value: id }]);
  assert.deepEqual((await app.call("POST", "/file/search", { searchText: "SØK" })).data, [made.data]);
  assert.equal((await app.call("GET", `/file/${encodeURIComponent(name)}/exists`)).data, true);
  assert.ok((await app.download(id)).rawPayload.equals(bytes));

  const replaced = await app.upload(name, "second");
  assert.deepEqual(
    [replaced.status, replaced.data.id, replaced.data.version, replaced.data.description, replaced.data.size],
    [200, id, 2, "d", 6],
  );
  assert.equal((await app.download(id)).body, "second");
  assert.equal((await app.upload("empty", "")).data.size, 0);
  assert.deepEqual((await app.call("DELETE", `/file/delete/${id}`)).data, null);
  assertRefused((await app.call("GET", `/file/${id}`)).response, 404, "NOT_FOUND");
  assertRefused((await app.download(id)) as never, 404, "NOT_FOUND");
});

test("never serves a file as a page", async (t) => {
  const app = await filesApp(t);
  const name = 'x"\r\nset-cookie: a=b;.html';
  for (const [sent, served] of [
    ["text/html", "application/octet-stream"],
    ["image/svg+xml", "application/octet-stream"],
    ["application/xhtml+xml; charset=utf-8", "application/octet-stream"],
    ["TEXT/HTML", "application/octet-stream"],
    ["text/plain; charset=iso-8859-1", "text/plain; charset=iso-8859-1"],
    ["image/png", "image/png"],
    ["application/json", "application/json"],
    ["multipart/form-data; boundary=x", "application/octet-stream"],
    ["", "application/octet-stream"],
  ] as const) {
    const { data } = await app.upload(name, "<script>alert(1)</script>", {
      headers: { "content-type": sent },
    });
    assert.equal(data.contentType, sent || "application/octet-stream");
    const { headers } = await app.download(data.id);
    assert.equal(headers["content-type"], served);
    assert.equal(
      headers["content-disposition"],
      `attachment; filename="x___set-cookie_ a_b_.html"; filename*=UTF-8''x%22%0D%0Aset-cookie%3A%20a%3Db%3B.html`,
    );
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.match(String(headers["content-security-policy"]), /^sandbox; default-src 'none'/);
    assert.equal(headers["set-cookie"], undefined);
    assert.equal(headers["cache-control"], "no-store");
  }
});

test("serves a range across chunks, and the whole where it can't", async (t) => {
  const app = await filesApp(t);
  const bytes = randomBytes(2 * 256 * 1024);
  const { data } = await app.upload("r", bytes);
  const etag = `"${data.sha256}"`;
  for (const [headers, from, to] of [
    [{ range: "bytes=0-0" }, 0, 1],
    [{ range: "bytes=262143-262144" }, 262143, 262145],
    [{ range: "bytes=500000-" }, 500000, bytes.length],
    [{ range: "bytes=-5" }, bytes.length - 5, bytes.length],
    [{ range: "bytes=10-99999999" }, 10, bytes.length],
    [{ range: "bytes=1-2", "if-range": etag }, 1, 3],
  ] as const) {
    const part = await app.download(data.id, headers);
    assert.equal(part.statusCode, 206, JSON.stringify(headers));
    assert.equal(part.headers["content-range"], `bytes ${from}-${to - 1}/${bytes.length}`);
    assert.ok(part.rawPayload.equals(bytes.subarray(from, to)));
  }
  for (const headers of [
    { range: "bytes=5-1" },
    { range: "bytes=999999999-" },
    { range: "bytes=0-1,3-4" },
    { range: "lines=1-2" },
    { range: "bytes=-0" },
    { range: "bytes=1-2", "if-range": '"other"' },
  ]) {
    const all = await app.download(data.id, headers as Record<string, string>);
    assert.deepEqual([all.statusCode, all.rawPayload.length], [200, bytes.length], JSON.stringify(headers));
    assert.equal(all.headers.etag, etag);
  }
});

test("refuses what it should: who, what, which, too much, and what arrived otherwise than it was sent", async (t) => {
  const app = await filesApp(t);
  const { data } = await app.upload("one", "1");
  await app.upload("two", "2");
  const reader = await app.principal("reader", ["ConfigService:File:read"]);
  const writer = await app.principal("writer", ["ConfigService:File:upsert"]);
  const calls: [string | undefined, string, string, object | undefined, number, string][] = [
    [undefined, "POST", "/file/upload?name=x", {}, 401, "UNAUTHENTICATED"],
    [undefined, "GET", `/file/${data.id}/content`, undefined, 401, "UNAUTHENTICATED"],
    [reader.token, "POST", "/file/upload?name=x", {}, 403, "FORBIDDEN"],
    [reader.token, "DELETE", `/file/delete/${data.id}`, undefined, 403, "FORBIDDEN"],
    [reader.token, "POST", "/file/bulk-delete", { ids: [data.id] }, 403, "FORBIDDEN"],
    [writer.token, "GET", `/file/${data.id}`, undefined, 403, "FORBIDDEN"],
    [writer.token, "GET", `/file/${data.id}/content`, undefined, 403, "FORBIDDEN"],
    [app.admin, "GET", `/file/${newId()}`, undefined, 404, "NOT_FOUND"],
    [app.admin, "GET", `/file/${newId()}/content`, undefined, 404, "NOT_FOUND"],
    [app.admin, "GET", "/file/name/three", undefined, 404, "NOT_FOUND"],
    [app.admin, "DELETE", `/file/delete/${newId()}`, undefined, 404, "NOT_FOUND"],
    [app.admin, "GET", "/file/..%2F..%2Fetc%2Fpasswd/content", undefined, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/file/upload", {}, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/file/upload?name=", {}, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/file/upload?name=a%00b", {}, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", `/file/upload?name=${"x".repeat(201)}`, {}, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/file/upload?name=x&path=/etc", {}, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/file/upload?name=one&onExisting=fail", {}, 409, "CONFLICT"],
    [app.admin, "POST", "/file/upload?name=one&expectedVersion=2", {}, 409, "CONFLICT"],
    [app.admin, "POST", "/file/upload?name=none&expectedVersion=2", {}, 409, "CONFLICT"],
    [app.admin, "POST", "/file/search", { sortBy: "contentId" }, 400, "VALIDATION_FAILED"],
  ];
  for (const [token, method, url, body, status, code] of calls) {
    assertRefused((await app.as(token, method, url, body)).response, status, code);
  }
  const md5 = createHash("md5").update("hello").digest("base64");
  const digest = createHash("sha512").update("hello").digest("base64");
  const sends: [string, Record<string, string>, number, string?][] = [
    ["hello", { "content-md5": md5, "content-digest": `crc32=:AA==:, sha-512=:${digest}:` }, 200],
    ["hallo", { "content-md5": md5 }, 400, "headers/content-md5"],
    ["hallo", { "content-digest": `sha-512=:${digest}:` }, 400, "headers/content-digest"],
    ["hello", { "content-md5": "nonsense" }, 400, "headers/content-md5"],
    ["hello", { "content-digest": "crc32=:AA==:" }, 400, "headers/content-digest"],
    ["hello", { "content-type": "text" }, 415],
    ["hello", { "content-type": "text/plain\u00e9" }, 415],
    ["hello", { "content-encoding": "gzip" }, 415],
    ["x".repeat(limit), {}, 200],
    ["x".repeat(limit + 1), {}, 413],
  ];
  for (const [body, headers, status, path] of sends) {
    const { response } = await app.upload("one", body, { headers });
    assert.equal(response.statusCode, status, response.body);
    if (path) assert.equal(response.json().error.details[0].path, path);
  }
  assert.equal((await app.download(data.id)).rawPayload.length, limit, "what was refused changed nothing");
  assert.equal(
    await app.count("stored_content where remove_after < now() + interval '1 hour'"),
    2,
    "replaced",
  );
  assert.equal(
    await app.count("stored_content where remove_after > now() + interval '1 hour'"),
    0,
    "none begun",
  );
});

test("shows nothing of an upload that is under way or breaks off, and removes what it wrote", async (t) => {
  const app = await filesApp(t);
  await app.upload("kept", "before");
  const half = randomBytes(400_000);
  const socket = await beginUpload(app, "/file/upload?name=kept", half, { announced: 500_000 });
  const fresh = await beginUpload(app, "/file/upload?name=fresh", half, { announced: 500_000 });
  await until(async () => (await app.count("file_chunk")) === 3);
  const { data } = await app.call("POST", "/file/search", {});
  assert.deepEqual(
    data.map((file: { name: string; size: number }) => [file.name, file.size]),
    [["kept", 6]],
  );
  assert.equal((await app.download(data[0].id)).body, "before");
  socket.destroy();
  fresh.destroy();
  await until(async () => (await app.count("stored_content")) === 1 && (await app.count("file_chunk")) === 1);
  assert.equal((await app.call("POST", "/file/search", {})).data.length, 1);
  assert.ok(!/"level":[56]0/.test(app.log()), "that a client goes away is no fault of ours");
});

test("refuses a file that is too large before it has all arrived, and the client gets to read why", async (t) => {
  const app = await filesApp(t);
  await app.app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}/file/upload?name=x`;
  const headers = { authorization: `Bearer ${app.admin}`, "content-type": "text/plain" };
  const announced = await fetch(url, { method: "POST", headers, body: Buffer.alloc(limit + 1) });
  assert.equal(announced.status, 413);
  assert.match(((await announced.json()) as { message: string }).message, /PAWL_FILE_LIMIT/);
  const endless = new ReadableStream({
    // By turns: a source that is always ready would leave the server in this process none.
    pull: (controller) => setImmediate().then(() => controller.enqueue(new Uint8Array(64 * 1024))),
  });
  // The connection may end before all that is sent has been read; what must not be is that it goes on.
  const answer = await fetch(url, {
    method: "POST",
    headers,
    body: endless,
    duplex: "half",
  } as RequestInit).then(
    ({ status }) => status,
    () => 0,
  );
  assert.ok([0, 413].includes(answer), `${answer}`);
  await until(async () => (await app.count("stored_content")) === 0);
});

test("of uploads of one name at once each is whole, and the last to end stays", async (t) => {
  const app = await filesApp(t);
  const bodies = Array.from({ length: 6 }, () => randomBytes(300_000));
  const answers = await Promise.all(bodies.map((body) => app.upload("one", body)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201]);
  assert.deepEqual(answers.map(({ data }) => data.version).sort(), [1, 2, 3, 4, 5, 6]);
  const last = answers.find(({ data }) => data.version === 6)!.data;
  assert.equal(sha256((await app.download(last.id)).rawPayload), last.sha256);
  const only = await Promise.all(
    bodies.map((body) => app.upload("two", body, { query: "&onExisting=fail" })),
  );
  assert.deepEqual(only.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  await until(async () => (await app.count("stored_content where remove_after is null")) === 2);
});

test("lets who reads a file finish while it is replaced, and removes the old one later", async (t) => {
  const app = await filesApp(t);
  const old = randomBytes(600_000);
  const { data } = await app.upload("f", old);
  await app.app.listen({ port: 0, host: "127.0.0.1" });
  const url = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}/file/${data.id}/content`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${app.admin}` } });
  await app.upload("f", "new");
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(old));
  assert.equal(await app.contents.sweep(), 0);
  await app.pool.query(
    "update stored_content set remove_after = now() - interval '1 s' where remove_after is not null",
  );
  assert.equal(await app.contents.sweep(), 1);
  assert.equal(await app.count("file_chunk"), 1);
  assert.equal((await app.download(data.id)).body, "new");
});

test("answers 503, and keeps nothing, while the database is away or full", async (t) => {
  const app = await filesApp(t);
  await app.pool.query(
    `create function full_disk() returns trigger language plpgsql as $$ begin
       if new.n = 1 then raise exception 'could not extend file' using errcode = '53100'; end if; return new; end $$`,
  );
  await app.pool.query(
    "create trigger full_disk before insert on file_chunk for each row execute function full_disk()",
  );
  const { response } = await app.upload("x", randomBytes(400_000));
  assertRefused(response, 503, "STORE_UNAVAILABLE");
  assert.equal(await app.count("stored_content"), 0);
});
