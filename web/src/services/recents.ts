import { useLocalStorage } from "@mantine/hooks";
import { useCallback, useEffect } from "react";

/** What jobs use, as far as it has a page of its own. */
export type RecentRecord =
  | "connection"
  | "mcpServer"
  | "variable"
  | "dataset"
  | "file"
  | "certificate"
  | "apiTemplate";

/** What was looked at lately, for the search box. */
export interface Recent {
  kind: "job" | "execution" | RecentRecord;
  id: string;
  name: string;
}

const kept = 8;

export function useRecents(): [Recent[], (recent: Recent) => void] {
  const [recents, set] = useLocalStorage<Recent[]>({
    key: "pawl-recent",
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const add = useCallback(
    (recent: Recent) =>
      set((before) => [recent, ...before.filter(({ id }) => id !== recent.id)].slice(0, kept)),
    [set],
  );
  return [recents, add];
}

/** Remembers that this was looked at, once its name is known. */
export function useVisited(recent: Recent | undefined): void {
  const [, add] = useRecents();
  const { kind, id, name } = recent ?? {};
  useEffect(() => {
    if (kind && id && name) add({ kind, id, name });
  }, [kind, id, name, add]);
}
