import assert from "node:assert/strict";
import { test } from "node:test";
import { modelNames } from "./tool-names.ts";

const shop = { id: "1", name: "My Shop!" };
const other = { id: "2", name: "my shop" };
const strange = { id: "3", name: "søk 店" };
const long = "a".repeat(128);

test("tools have names that endpoints take, and each its own", () => {
  const tools = [
    { server: shop, tool: "list" },
    { server: shop, tool: "orders.read" },
    { server: strange, tool: "find/it" },
    { server: { id: "4", name: "店" }, tool: "x" },
    { server: shop, tool: long },
    { server: shop, tool: `${long}b` },
  ];
  const names = modelNames(tools);
  assert.deepEqual(names.slice(0, 4), ["my-shop__list", "my-shop__orders_read", "s-k__find_it", "mcp__x"]);
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
});

test("a tool has the same name in whatever order its server lists it", () => {
  const tools = [
    { server: shop, tool: "a.b" },
    { server: shop, tool: "a_b" },
    { server: other, tool: "a_b" },
    { server: other, tool: "c" },
    { server: shop, tool: "c" },
    { server: shop, tool: "d" },
  ];
  const named = (order: typeof tools) => {
    const names = modelNames(order);
    assert.equal(new Set(names).size, names.length);
    return new Map(order.map(({ server, tool }, i) => [`${server.id} ${tool}`, names[i]]));
  };
  const [forth, back] = [named(tools), named(tools.toReversed())];
  for (const [tool, name] of forth) assert.equal(back.get(tool), name, tool);
  assert.equal(forth.get("1 d"), "my-shop__d");
});
