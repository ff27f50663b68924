/**
 * One call for many: what is asked for within a moment is asked for together. Rows of a table ask each for its own, and
 * the server is called once.
 */
export function batched<T>(
  load: (ids: string[]) => Promise<Map<string, T>>,
  most: number,
): (id: string) => Promise<T | null> {
  let waiting: { id: string; answer: PromiseWithResolvers<T | null> }[] = [];

  async function send(batch: typeof waiting): Promise<void> {
    try {
      const found = await load([...new Set(batch.map(({ id }) => id))]);
      for (const { id, answer } of batch) answer.resolve(found.get(id) ?? null);
    } catch (error) {
      for (const { answer } of batch) answer.reject(error);
    }
  }

  return (id) => {
    const answer = Promise.withResolvers<T | null>();
    if (waiting.length === 0) {
      setTimeout(() => {
        const all = waiting;
        waiting = [];
        for (let i = 0; i < all.length; i += most) void send(all.slice(i, i + most));
      }, 5);
    }
    waiting.push({ id, answer });
    return answer.promise;
  };
}
