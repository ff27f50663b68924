/** Named places where a test lets the process die: the proof that a crash there loses nothing. */
export const failpoints = [
  "journal.before-commit",
  "journal.after-commit",
  "turn.before-commit",
  "turn.after-commit",
  "start.before-append",
  "start.after-append",
  "step.before-run",
  "step.after-run",
  "step.after-record",
  "timer.after-claim",
  "recovery.before-load",
] as const;
export type Failpoint = (typeof failpoints)[number];

let armed: { name: string; hits: number } | undefined;

/** Arms one point: `name:crash`, or `name:crash@3` for the third time it is reached. Undefined disarms. */
export function armFailpoint(spec: string | undefined): void {
  const match = spec === undefined ? undefined : /^([a-z.-]+):crash(?:@(\d+))?$/.exec(spec);
  if (spec !== undefined && !(failpoints as readonly string[]).includes(match?.[1] ?? "")) {
    throw new Error(
      `There is no failpoint '${spec}'. Known: ${failpoints.join(", ")}, each followed by ':crash'.`,
    );
  }
  armed = match ? { name: match[1]!, hits: Number(match[2] ?? 1) } : undefined;
}

/** Dies here, as by kill -9, when this point is armed. */
export function failpoint(name: Failpoint): void {
  if (armed?.name === name && --armed.hits === 0) process.kill(process.pid, "SIGKILL");
}
