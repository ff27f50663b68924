import { loadConfig } from "../src/config.ts";
import { startPawl } from "../src/main.ts";

// The server of the HTTP benchmark, in a process of its own: what `pawl serve` starts, told where it is to our parent.
const pawl = await startPawl(loadConfig(process.env, { envFile: null }));
process.send!({ url: pawl.url, token: pawl.adminToken });
process.once("disconnect", () => void pawl.close());
