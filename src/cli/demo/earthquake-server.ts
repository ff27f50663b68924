import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CliError } from "../exit.ts";

interface Quake {
  properties: { mag: number };
}

/**
 * The records of the npm package vega-datasets (USGS, one week of 2018) behind the query that USGS itself answers
 * (https://earthquake.usgs.gov/fdsnws/event/1/), as far as the example asks it. Its first answer is a 503, to be retried.
 */
export async function serveEarthquakes(): Promise<{ url: string; close(): Promise<void> }> {
  const { features, ...collection } = readRecords();
  let requests = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://localhost");
    if (pathname !== "/fdsnws/event/1/query") return void response.writeHead(404).end();
    if (++requests === 1) {
      return void response
        .writeHead(503, { "content-type": "text/plain" })
        .end("Busy, as real services are.");
    }
    const least = Number(searchParams.get("minmagnitude") ?? -10);
    const limit = Number(searchParams.get("limit") ?? features.length);
    const found = features
      .filter(({ properties }) => properties.mag >= least)
      .sort((a, b) => b.properties.mag - a.properties.mag)
      .slice(0, limit);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...collection, features: found }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/fdsnws/event/1/query`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function readRecords(): { features: Quake[] } {
  try {
    const entry = import.meta.resolve("vega-datasets");
    return JSON.parse(readFileSync(new URL("../data/earthquakes.json", entry), "utf8"));
  } catch {
    throw new CliError("failed", "The demo's data set, the npm package vega-datasets, is not installed.", {
      hint: "Run `npm install` without --omit=dev, then try again.",
    });
  }
}
