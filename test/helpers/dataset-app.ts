import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { configurationApp } from "./configuration-app.ts";

/** The configuration service with short ways to datasets. */
export async function datasetApp(t: TestContext) {
  const app = await configurationApp(t);
  async function upload(
    name: string,
    payload: Buffer | string,
    { type = "text/csv", query = "", token = app.admin } = {},
  ) {
    const response = await app.app.inject({
      method: "POST",
      url: `/dataset/upload?name=${encodeURIComponent(name)}${query}`,
      headers: { authorization: `Bearer ${token}`, "content-type": type },
      payload,
    });
    return { response, status: response.statusCode, body: response.json(), data: response.json().data };
  }
  async function rows(id: string, body: object = {}) {
    const answer = await app.call("POST", `/dataset/${id}/rows/search`, { size: 1000, ...body });
    assert.equal(answer.status, 200, answer.response.body);
    return answer.data as Record<string, unknown>[];
  }
  const csv = async (id: string, query = "") => {
    const response = await app.app.inject({
      method: "GET",
      url: `/dataset/${id}/export${query}`,
      headers: { authorization: `Bearer ${app.admin}` },
    });
    return response;
  };
  return { ...app, upload, rows, csv };
}

/** One condition of a filter. */
export const where = (field: string, matchMode: string, value: unknown) => ({
  filters: { [field]: { operator: "and", constraints: [{ matchMode, value }] } },
});
