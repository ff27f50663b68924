/** A step's result as one run recorded it. */
interface Recorded {
  run: number;
  position: number;
}

/**
 * The results that count for a run: its own, and of earlier runs those before every restart point since. At most one a
 * position. `fromPositions` has the restart point of each run, the first (run 1) being 0.
 */
export function inForce<T extends Recorded>(
  results: readonly T[],
  run: number,
  fromPositions: ReadonlyMap<number, number>,
): T[] {
  return results.filter((result) => {
    if (result.run > run) return false;
    for (let later = result.run + 1; later <= run; later++) {
      if ((fromPositions.get(later) ?? 0) <= result.position) return false;
    }
    return true;
  });
}
