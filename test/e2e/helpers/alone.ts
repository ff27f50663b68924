import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Whoever holds it for so long was killed. */
const ABANDONED_MS = 120_000;

/**
 * Has something made once, although test files are processes that come at the same time: one makes it, the others wait
 * until it is there.
 * @param lock a folder that stands while it is being made
 */
export async function madeOnce(lock: string, isThere: () => boolean, make: () => void): Promise<void> {
  for (;;) {
    if (isThere()) return;
    if (take(lock)) break;
    await delay(200);
  }
  try {
    if (!isThere()) make();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** A folder can be made by one only. */
function take(lock: string): boolean {
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Date.now() - since > ABANDONED_MS)
    rmSync(lock, { recursive: true, force: true });
  try {
    mkdirSync(dirname(lock), { recursive: true });
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}
