import { basename } from "node:path";

/** How the reader calls this command: `pawl` where it is on the PATH, `npx pawl` in a checkout. */
export const pawl =
  basename(process.argv[1] ?? "") === "pawl" && !process.env.npm_command ? "pawl" : "npx pawl";
