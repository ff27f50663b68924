import type { LogLevel } from "../plugin.ts";

/** What the server asks of a sandbox process. JSON travels as text: nothing else can cross. */
export type SandboxTask =
  | { kind: "transform"; data: string; expression: string }
  | { kind: "transform.check"; expression: string }
  | {
      kind: "script";
      source: string;
      /** Values of the global names, as JSON. */
      globals: Record<string, string>;
      memoryLimitMb: number;
      timeLimitMs: number;
    }
  | { kind: "script.check"; source: string };

export type SandboxCode = "FAILED" | "TIME_LIMIT" | "MEMORY_LIMIT" | "OUTPUT_TOO_LARGE";

export type SandboxOutcome = { json: string } | { code: SandboxCode; message: string };

/** What a sandbox process answers; `ready` once at its start, then `line`s and one `done` for each task. */
export type SandboxReply =
  | { type: "ready" }
  | { type: "line"; level: LogLevel; message: string }
  /** `retire`: this process grew, and should not be given more work. */
  | { type: "done"; outcome: SandboxOutcome; retire: boolean };

/** Of a result. The engine's own limit on outputs is smaller; this one keeps the pipe and the parser safe. */
export const MAX_RESULT_CHARS = 8 * 1024 * 1024;
