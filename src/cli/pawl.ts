import { runCommandLine } from "./program.ts";

// `pawl job list | head` closes the pipe early: that is an end, not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    // A server or the demo ends in order.
    if (process.listenerCount("SIGTERM") > 0) process.kill(process.pid, "SIGTERM");
    else process.exit(0);
  });
}

process.exitCode = await runCommandLine(process.argv.slice(2));
