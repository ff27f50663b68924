import { keepPreviousData, type QueryClient, useQueries, useQuery } from "@tanstack/react-query";

const windowSize = 50;

export interface Page<T> {
  rows: T[];
  total: number;
}

/** Where the rows of a table come from: a page at a time, each under a key of its own. */
export interface Source<T> {
  key: (page: number, size: number) => readonly unknown[];
  read: (page: number, size: number, signal: AbortSignal) => Promise<Page<T>>;
}

/** The rows from one place of a list to another, both included, as the list is now. */
export async function rowsBetween<T>(
  client: QueryClient,
  { key, read }: Source<T>,
  first: number,
  last: number,
): Promise<T[]> {
  const from = Math.floor(first / windowSize);
  const pages = Array.from({ length: Math.floor(last / windowSize) - from + 1 }, (_, i) => from + i);
  const found = await Promise.all(
    pages.map((page) =>
      client.fetchQuery({
        queryKey: key(page, windowSize),
        queryFn: ({ signal }) => read(page, windowSize, signal),
      }),
    ),
  );
  const offset = from * windowSize;
  return found.flatMap(({ rows }) => rows).slice(first - offset, last - offset + 1);
}

/**
 * The rows of a list of any length, read where they are looked at. `row(i)` is undefined while it is on its way.
 * @param seen the first and the last row on the screen
 */
export function useWindows<T>({ key, read }: Source<T>, seen: { first: number; last: number }) {
  const query = (page: number) => ({
    queryKey: key(page, windowSize),
    queryFn: ({ signal }: { signal: AbortSignal }) => read(page, windowSize, signal),
  });
  // What was found before stays, paler, until the answer to a new question is here.
  const first = useQuery({ ...query(0), placeholderData: keepPreviousData });
  const from = Math.max(1, Math.floor(seen.first / windowSize));
  const to = Math.floor(seen.last / windowSize);
  const pages = Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  const others = useQueries({ queries: pages.map(query) });

  return {
    total: first.data?.total,
    stale: first.isPlaceholderData,
    error: first.error ?? others.find(({ error }) => error)?.error ?? null,
    retry: () => void Promise.all([first, ...others].filter(({ error }) => error).map((it) => it.refetch())),
    row(index: number): T | undefined {
      const page = Math.floor(index / windowSize);
      const data = page === 0 ? first.data : others[page - from]?.data;
      return data?.rows[index % windowSize];
    },
  };
}
