import fc from "fast-check";
import { makeCertificate } from "./certificates.ts";

/** Few names, so that they meet again; `options` and `search` are those of paths too. */
export const dataNames = fc.constantFrom("one", "two", "a/b", "søk", "options", "search");

const [own, other] = ["own", "other"].map((subject) => makeCertificate({ subject }));
const key = fc.constantFrom(own!.privateKey, null);

/** Most are right, so that there is something to read. */
const mostly = (right: fc.Arbitrary<unknown>, odd: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: right }, { weight: 1, arbitrary: odd });

/** Bodies of upserts by the names of their components; `existing` gives ids of what is there. */
export function dataInputs(
  existing: (kind: "certificate" | "dataset" | "template") => fc.Arbitrary<string>,
): Record<string, fc.Arbitrary<unknown>> {
  const texts = { name: dataNames, description: fc.string({ maxLength: 5 }) };
  const column = { name: "a", type: "integer" };
  const columns = fc.constantFrom([column], [column, { name: "b", type: "string" }]);
  const chain = (own?.certificate ?? "") + other?.certificate;
  const order = { method: "GET", path: "/{{ params.a }}?b={{ params.b }}" };
  return {
    CertificateInput: mostly(
      fc.record(
        { ...texts, certificate: fc.constant(own!.certificate), privateKey: key },
        optional("certificate"),
      ),
      fc.record(
        {
          id: existing("certificate"),
          ...texts,
          certificate: fc.constantFrom(other!.certificate, chain, "no PEM"),
          privateKey: fc.constantFrom(other!.privateKey, "no key"),
          passphrase: fc.constant("x"),
        },
        optional("certificate"),
      ),
    ),
    DatasetInput: mostly(
      fc.record({ ...texts, columns }, optional("columns")),
      fc.record({ id: existing("dataset"), ...texts, columns }, { requiredKeys: ["name"] }),
    ),
    ApiTemplateInput: mostly(
      fc.record(
        {
          ...texts,
          method: fc.constantFrom("GET", "POST"),
          path: fc.constantFrom("/orders", order.path),
          headers: fc.constant({ a: "{{ params.a }}" }),
          body: fc.constantFrom({ json: { a: "{{ params.a }}" } }, { text: "x" }, { form: { a: [1] } }),
        },
        optional("method", "path"),
      ),
      fc.record({
        ...texts,
        id: existing("template"),
        method: fc.constantFrom("GET", "get"),
        path: fc.constantFrom("https://a.example/", "/{{ nope }}", "/"),
        connectionType: fc.constantFrom("rest-api", null),
        headers: fc.constantFrom({}, { authorization: "x" }),
        body: fc.constantFrom({}, { text: "x", form: {} }, { json: null }),
        parameters: fc.constantFrom(
          {},
          { type: "object", properties: { a: { type: "integer" } } },
          { type: 1 },
        ),
      }),
    ),
  };
}

/** All but the name and these may be left out. */
const optional = (...required: string[]) => ({ requiredKeys: ["name", ...required] as never[] });

const cell = fc.constantFrom(1, -2.5, "3", "x", true, null, "");
/** Rows to append: one that says nothing fits every dataset. */
export const dataRows = fc.array(
  fc.oneof(fc.constant({}), fc.record({ a: cell, b: cell, column_1: cell }, { requiredKeys: [] })),
  { minLength: 1, maxLength: 3 },
);
/** What a filter may say of the rows of those datasets. */
export const columnNames = ["a", "b", "column_1", "_row", "nope"];

const line = fc.array(fc.constantFrom("a", "b", "1", "-2.5", '"x,y"', '"', "", "=1+1", "é", "\0"), {
  minLength: 1,
  maxLength: 3,
});
const csv = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom("1,x", "2,", "-3,y"), { maxLength: 4 })
      .map((lines) => ["a,b", ...lines].join("\n")),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(line, { maxLength: 4 })
      .map((lines) => lines.map((cells) => cells.join()).join("\r\n")),
  },
);
const json = fc.oneof(
  fc.array(fc.record({ a: cell, b: cell }, { requiredKeys: [] })).map((rows) => JSON.stringify(rows)),
  fc.constantFrom("[", "[1]", '{"a":1}\n{"b":2}', '[{"__proto__":1}]', '[{"a":{}}]'),
);
/** Bytes to upload: tables most of the time. */
export const uploaded = fc.oneof(
  { weight: 5, arbitrary: csv.map((text) => Buffer.from(text)) },
  { weight: 3, arbitrary: json.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
);
