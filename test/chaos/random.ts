/** Random numbers that one seed repeats (mulberry32): what came of them depends on time, what was tried does not. */
export function random(seed: number) {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    between: (low: number, high: number): number => low + next() * (high - low),
    pick: <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!,
  };
}

export type Random = ReturnType<typeof random>;
