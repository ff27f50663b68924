import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { type Route, routes } from "../../src/contract/routes.ts";

const file = fileURLToPath(new URL("../../src/contract/routes.ts", import.meta.url));

/** Gives a browser of the route table what the client reads: without schemas and sentences it is a tenth. */
export function slimRoutes(): Plugin {
  return {
    name: "pawl:slim-routes",
    load(id) {
      if (id.split("?")[0] !== file) return null;
      const slim = Object.entries(routes as Record<string, Route>).map(([name, route]) => [
        name,
        slimmed(route),
      ]);
      return `export const routes = ${JSON.stringify(Object.fromEntries(slim))};`;
    },
  };
}

function slimmed({
  method,
  path,
  access,
  bare,
  stream,
  produces,
  givesBytes,
  takesBytes,
  textBody,
  body,
}: Route) {
  return {
    method,
    path,
    access,
    bare,
    stream,
    produces,
    givesBytes,
    takesBytes,
    textBody,
    body: body && true,
  };
}
