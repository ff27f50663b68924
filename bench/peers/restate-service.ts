import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import * as restate from "@restatedev/restate-sdk";

// The worker process of the Restate run: HTTP/2 on a free loopback port. It tells its parent the port, and on request how
// often a step has run.
const steps = Number(process.argv[2]);
let stepsRun = 0;

const bench = restate.service({
  name: "bench",
  handlers: {
    execute: async (ctx: restate.Context) => {
      let last = 0;
      for (let step = 1; step <= steps; step++) {
        last = await ctx.run(`s${step}`, () => {
          stepsRun++;
          return step;
        });
      }
      return last;
    },
  },
});

const server = http2.createServer(restate.createEndpointHandler({ services: [bench] }));
server.listen(0, "127.0.0.1", () => process.send!({ port: (server.address() as AddressInfo).port }));
process.on("message", () => process.send!({ stepsRun }));
process.on("disconnect", () => process.exit());
