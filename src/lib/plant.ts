/**
 * Bugs that a test plants in the engine, to prove that its suites would find them. Nothing but a test of the same process
 * can: no variable of the environment, no option.
 */
export const bugs = [
  "journal.answer-before-commit",
  "journal.no-fence",
  "engine.forget-results",
  "engine.lost-stop",
] as const;
export type Bug = (typeof bugs)[number];

let planted: Bug | undefined;

/** Undefined takes the bug out again. */
export function plant(bug: Bug | undefined): void {
  planted = bug;
}

export function isPlanted(bug: Bug): boolean {
  return planted === bug;
}
