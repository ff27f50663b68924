import { startTestServer, type TestServer } from "./test-server.ts";

// Run by `node --test --test-global-setup=test/helpers/global-setup.ts`, in the process that starts those of the test
// files: they inherit its environment.

let server: TestServer | undefined;

/** Starts the one database server of the run. */
export async function globalSetup(): Promise<void> {
  server = await startTestServer();
  process.env.PAWL_TEST_SERVER = server.url;
}

/** Ends it, with every database in it. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
