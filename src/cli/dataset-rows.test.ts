import assert from "node:assert/strict";
import { test } from "node:test";
import { conditions } from "./dataset-rows.ts";
import { fileNameOf } from "./download-target.ts";
import { mediaTypeOf } from "./media-type.ts";

const columns = [
  { name: "amount", type: "number" as const },
  { name: "amount>due", type: "integer" as const },
  { name: "paid", type: "boolean" as const },
  { name: "day", type: "date" as const },
  { name: "toString", type: "string" as const },
];

test("reads conditions by the columns there are, each value as its column has it", () => {
  for (const [text, column, matchMode, value] of [
    ["amount>=100", "amount", "gte", 100],
    ["amount!=-1.5", "amount", "notEquals", -1.5],
    ["amount>due", "amount", "gt", undefined],
    ["amount>due<=3", "amount>due", "lte", 3],
    ["paid=true", "paid", "equals", true],
    ["day<2026-01-01", "day", "lt", "2026-01-01"],
    ["toString~a=b", "toString", "contains", "a=b"],
    ["toString=", "toString", "equals", ""],
  ] as const) {
    if (value === undefined) {
      assert.throws(() => conditions([text], columns), /compared with a number, not "due"/);
      continue;
    }
    const expected = { [column]: { operator: "and", constraints: [{ value, matchMode }] } };
    assert.deepEqual(conditions([text], columns), expected, text);
  }
  assert.deepEqual(conditions(["amount>1", "amount<3"], columns).amount?.constraints.length, 2);
  for (const [text, message] of [
    ["amuont>3", /begins with no column and sign\. Did you mean "amount"/],
    ["amount", /begins with no column/],
    ["amount=", /compared with a number, not ""/],
    ["amount=Infinity", /a number/],
    ["paid=yes", /true or false, not "yes"/],
  ] as const) {
    assert.throws(() => conditions([text], columns), message, text);
  }
});

test("lets nobody choose by a name where a download goes", () => {
  for (const [name, file] of [
    ["report.pdf", "report.pdf"],
    ["../../etc/passwd", "__.._etc_passwd"],
    ["..", "_"],
    [".bashrc", "_bashrc"],
    ["/etc/cron.d/x", "_etc_cron.d_x"],
    ["C:\\x\r\n", "C__x__"],
    ["", "download"],
  ] as const) {
    assert.equal(fileNameOf(name), file, name);
  }
  assert.equal(fileNameOf("é".repeat(300)).length, 200);
  assert.equal(mediaTypeOf("x.CSV"), "text/csv");
  assert.equal(mediaTypeOf("x.constructor"), "application/octet-stream");
});
