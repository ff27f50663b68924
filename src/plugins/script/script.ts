import Type from "typebox";
import { defineStepType } from "../plugin.ts";
import { checkFaults, resultOf } from "../sandbox/fault.ts";
import type { Sandbox } from "../sandbox/pool.ts";

const DEFAULT_LIMIT_MS = 5_000;
const DEFAULT_MEMORY_MB = 64;
// The script's own limit comes first: it says more. This one is for what the interpreter does not interrupt.
const GRACE_MS = 500;

const description =
  "The body of a function: what it returns is the output. It sees params, steps, vars, execution, job, input and console, and " +
  "can reach nothing else: no network, files, modules or timers. It is not a template: {{ }} has no meaning in it.";

export function script(sandbox: Sandbox) {
  return defineStepType({
    name: "script",
    title: "Run a script",
    description: "Runs JavaScript in a sandbox with limits on time and memory.",
    input: Type.Object(
      {
        source: Type.String({ minLength: 1, maxLength: 200_000, title: "JavaScript", description }),
        input: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            title: "Input",
            description: "Values for the script, as `input`; each may be a {{ CEL }} expression.",
          }),
        ),
        timeLimitMs: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 60_000,
            default: DEFAULT_LIMIT_MS,
            title: "Time limit (ms)",
            description: "The script is killed when it runs for longer.",
          }),
        ),
        memoryLimitMb: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 256,
            default: DEFAULT_MEMORY_MB,
            title: "Memory limit (MiB)",
            description: "The script is ended when it needs more.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Unknown({
      description: "What the script returned, as JSON; null when it returned nothing.",
    }),
    verbatim: ["source"],
    variables: ({ source }) => (typeof source === "string" ? variablesIn(source) : []),
    async run({ input, scope, signal, log }) {
      const { source, timeLimitMs = DEFAULT_LIMIT_MS, memoryLimitMb = DEFAULT_MEMORY_MB } = input;
      const globals = globalsFor(source, { ...scope, input: input.input ?? {} });
      const outcome = await sandbox.run(
        { kind: "script", source, globals, memoryLimitMb, timeLimitMs },
        { timeLimitMs, graceMs: GRACE_MS, signal, onLine: log },
      );
      return resultOf(outcome, "The script", "SCRIPT_FAILED");
    },
    async check({ source }) {
      if (typeof source !== "string") return [];
      const outcome = await sandbox.run({ kind: "script.check", source }, { timeLimitMs: DEFAULT_LIMIT_MS });
      return checkFaults(outcome, "/source");
    },
  });
}

/** Those that are named outright: `vars.NAME` or `vars["NAME"]`. No others are there when the script runs. */
function variablesIn(source: string): string[] {
  const named = /\bvars\s*(?:\?\.|\.)\s*([A-Za-z]\w*)|\bvars\s*(?:\?\.)?\[\s*["'`]([A-Za-z]\w*)["'`]\s*\]/g;
  return Array.from(source.matchAll(named), ([, dotted, quoted]) => (dotted ?? quoted)!);
}

/** What the script can name. Outputs of earlier steps may be large: a name that the source never says is not sent. */
function globalsFor(source: string, values: object): Record<string, string> {
  const globals: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    globals[name] = source.includes(name) ? (JSON.stringify(value) ?? "null") : "{}";
  }
  return globals;
}
