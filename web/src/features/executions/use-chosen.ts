import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { rowsBetween, type Source } from "../../components/table/windows.ts";
import type { ListedExecution } from "./queries.ts";

/** At a time: each is a value in the filter that finds them again. */
export const mostChosen = 500;

/** By how many rows a list may have moved between two clicks. */
const slack = 50;

interface State {
  /** Names of the jobs, by the ids of the executions. */
  names: ReadonlyMap<string, string>;
  /** All of the list was chosen, and nothing was taken away since. */
  whole: boolean;
  /** There were more than can be chosen at a time. */
  full: boolean;
  error: unknown;
}

export interface Chosen extends State {
  /** Chooses a row, or no longer; with `range` all from the last one that was clicked to this. */
  set(row: ListedExecution, index: number, on: boolean, range: boolean): Promise<void>;
  /** Chooses all of the list, from its beginning. */
  all(): Promise<void>;
  clear(): void;
}

const none: State = { names: new Map(), whole: false, full: false, error: null };

/**
 * Executions that are chosen one by one. They stay chosen while the list moves.
 * @param filter what the list shows: another one begins with nothing chosen
 */
export function useChosen(source: Source<ListedExecution>, filter: string): Chosen {
  const client = useQueryClient();
  const [kept, setKept] = useState({ filter, state: none });
  const last = useRef<{ id: string; index: number }>(null);
  const state = kept.filter === filter ? kept.state : none;
  const change = (next: (before: State) => State) =>
    setKept((before) => ({ filter, state: next(before.filter === filter ? before.state : none) }));

  const put = (rows: ListedExecution[], on: boolean, all = false) =>
    change(({ names: before, whole }) => {
      const names = new Map(before);
      for (const { id, jobName } of rows) {
        if (!on) names.delete(id);
        else if (names.size < mostChosen) names.set(id, jobName);
      }
      const full = on && rows.some(({ id }) => !names.has(id));
      return { names, whole: all ? !full : whole && on, full, error: null };
    });
  const putRead = async (read: Promise<ListedExecution[]>, on: boolean, all = false) => {
    try {
      put(await read, on, all);
    } catch (error) {
      change((before) => ({ ...before, error }));
    }
  };

  return {
    ...state,
    async set(row, index, on, range) {
      const from = kept.filter === filter ? last.current : null;
      last.current = { id: row.id, index };
      put([row], on);
      if (!range || !from) return;
      if (Math.abs(index - from.index) >= mostChosen) return change((before) => ({ ...before, full: true }));
      const first = Math.max(0, Math.min(from.index, index) - slack);
      const end = Math.max(from.index, index) + slack;
      const read = rowsBetween(client, source, first, end);
      await putRead(
        read.then((rows) => between(rows, from.id, row.id)),
        on,
      );
    },
    // One more than can be chosen: then it is told that there are more.
    all: () =>
      putRead(
        source.read(0, mostChosen + 1, new AbortController().signal).then(({ rows }) => rows),
        true,
        true,
      ),
    clear() {
      last.current = null;
      change(() => none);
    },
  };
}

/** The rows from one to another, whichever comes first. By their ids: places are others once something new has begun. */
function between(rows: ListedExecution[], one: string, other: string): ListedExecution[] {
  const places = [one, other].map((wanted) => rows.findIndex(({ id }) => id === wanted));
  if (places.includes(-1)) return [];
  return rows.slice(Math.min(...places), Math.max(...places) + 1);
}
