import { compileCache } from "./compile-cache.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

// Run by `node --test --test-global-setup=test/helpers/global-setup.ts`, in the process that starts those of the test
// files: they inherit its environment.

let server: TestServer | undefined;

/** Starts the one database server of the run. */
export async function globalSetup(): Promise<void> {
  server = await startTestServer();
  // Not PAWL_…: a process that a test starts would refuse to run with a variable of Pawl's that it does not know.
  process.env.TEST_DATABASE_SERVER = server.url;
  process.env.NODE_COMPILE_CACHE ??= compileCache;
}

/** Ends it, with every database in it. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
