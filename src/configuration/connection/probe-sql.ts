import type { Socket } from "node:net";
import type { Dialer } from "../../lib/dialer.ts";
import { type SqlConnectionType, type SqlDatabase, sqlDatabase } from "../../lib/sql/open.ts";
import { reach, type SqlSession } from "../../lib/sql/session.ts";
import type { Trial } from "./test-connection.ts";

/** Signs in, and asks the smallest of questions. */
export function sqlProbes(
  type: SqlConnectionType,
  dialer: Dialer,
  variables: Readonly<Record<string, string>>,
): Trial {
  let database: SqlDatabase;
  let socket: Socket | undefined;
  let session: SqlSession | undefined;
  return {
    probes: [
      {
        name: "Settings",
        async run() {
          database = sqlDatabase(type, variables);
          return undefined;
        },
      },
      {
        name: "Connect",
        async run(signal) {
          socket = await reach(dialer, database.target, signal);
          return undefined;
        },
      },
      {
        name: "Sign in",
        async run(signal) {
          session = await database.protocol.signIn(dialer, database.target, socket!, signal);
          return undefined;
        },
      },
      {
        name: "Query",
        async run(signal) {
          await session!.run({ sql: "select 1", values: [], maxRows: 1, maxBytes: 1_024 }, signal);
          return undefined;
        },
      },
    ],
    end() {
      session?.close();
      socket?.on("error", () => {});
      if (!session) socket?.destroy();
    },
  };
}
