import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { createPool } from "../../src/db/pool.ts";
import { until } from "../helpers/raw-upload.ts";
import { startTestPawl } from "../helpers/running-pawl.ts";

test("removes what was replaced, deleted or never finished, when its time has come, and nothing that is held", async () => {
  const env = { PAWL_MASTER_KEY: randomBytes(32).toString("base64") };
  await using first = await startTestPawl(env);
  const upload = (name: string, content: string) =>
    first.client.uploadFile({ query: { name }, bytes: { type: "text/plain", content } });
  await upload("kept", "old");
  const { id } = (await upload("kept", "new")).data;
  await first.client.deleteFile({ params: { id: (await upload("gone", "x")).data.id } });
  const pool = createPool({ url: first.databaseUrl });
  const contents = async () => (await pool.query("select count(*) as n from stored_content")).rows[0].n;
  try {
    await pool.query(
      `insert into stored_content select gen_random_uuid(), now() + interval '1 hour' from generate_series(1, 250)`,
    );
    await pool.query("update stored_content set remove_after = now() where remove_after is not null");
    assert.equal(await contents(), 253);
    await using second = await startTestPawl({ ...env, DATABASE_URL: first.databaseUrl });
    await until(async () => (await contents()) === 1);
    const { data } = await second.as(first.admin).downloadFile({ params: { id } });
    assert.equal(await new Response(data).text(), "new");
  } finally {
    await pool.end();
  }
});
