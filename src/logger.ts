import { type Logger, pino } from "pino";
import pretty from "pino-pretty";
import type { Config } from "./config.ts";
import { redact } from "./http/log.ts";

/** The process's log, on standard output: JSON for machines, plain lines on a terminal. */
export function createLogger(config: Pick<Config, "logLevel" | "logFormat">): Logger {
  const options = { level: config.logLevel, redact, base: { service: "pawl" } };
  const forPeople = config.logFormat === "pretty" || (config.logFormat === "auto" && process.stdout.isTTY);
  if (!forPeople) return pino(options);
  return pino(
    options,
    pretty({ ignore: "pid,hostname,service", translateTime: "SYS:HH:MM:ss.l", sync: true }),
  );
}
