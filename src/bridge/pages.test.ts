import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cursorOf, PagePlace, pageOf, placeOf, sizeOf } from "./pages.ts";

const item = fc.string({ maxLength: 3000 });

test("pages hand out every item once, in order, and none is larger than its room", () => {
  const room = 4096;
  fc.assert(
    fc.property(fc.array(item, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (items, size) => {
      const seen: string[] = [];
      let cursor: string | undefined = cursorOf({ page: 0, size, skip: 0 });
      for (let calls = 0; cursor !== undefined; calls++) {
        assert.ok(calls <= items.length + 1, "it ends");
        const place: PagePlace = placeOf(cursor, PagePlace);
        const page = items.slice(place.page * size, (place.page + 1) * size);
        const { items: some, next } = pageOf(page, place, { total: items.length, room });
        assert.ok(some.length <= 1 || sizeOf(some) <= room + 2);
        seen.push(...some);
        cursor = next && cursorOf(next);
      }
      assert.deepEqual(seen, items);
    }),
  );
});

test("takes no cursor that it has not made", () => {
  const refused = { code: "INVALID_PARAMETERS" };
  for (const bad of [
    "",
    "x",
    "e30",
    cursorOf({ page: -1, size: 1, skip: 0 }),
    cursorOf({ page: 0, size: 1e9, skip: 0 }),
  ]) {
    assert.throws(() => placeOf(bad, PagePlace), refused, bad);
  }
});
