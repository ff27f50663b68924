import type { BulkRequest } from "@contract/control.ts";
import type { FilterRequest } from "@contract/search.ts";
import {
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconRefresh,
} from "@tabler/icons-react";
import type { IconType } from "../../components/icon.ts";

export type BulkActionName = BulkRequest["action"];

interface BulkAction {
  name: BulkActionName;
  verb: string;
  icon: IconType;
  /** Which of those found it acts on. */
  of: string;
  says: string;
  done: string;
}

export const bulkActions: BulkAction[] = [
  {
    name: "PAUSE",
    verb: "Pause",
    icon: IconPlayerPauseFilled,
    of: "running",
    says: "The steps under way finish; nothing further starts until they are resumed.",
    done: "paused",
  },
  {
    name: "RESUME",
    verb: "Resume",
    icon: IconPlayerPlayFilled,
    of: "paused by hand",
    says: "They go on with their next step. Those that need a decision stay as they are.",
    done: "resumed",
  },
  {
    name: "STOP",
    verb: "Stop",
    icon: IconPlayerStopFilled,
    of: "running or paused",
    says: "The steps under way are ended now, and no further step runs. It can’t be undone; they can be restarted.",
    done: "stopped",
  },
  {
    name: "RESTART",
    verb: "Restart",
    icon: IconRefresh,
    of: "failed or stopped",
    says: "Each goes on from the step that failed or was stopped; the results before it are kept.",
    done: "restarted",
  },
];

/** What a bulk action is to reach. */
export interface BulkScope {
  filter: FilterRequest;
  /** Whether the list is filtered; without that, a bulk action reaches everything. */
  filtered: boolean;
  /** Those that were chosen one by one: names of their jobs by their ids. */
  chosen?: ReadonlyMap<string, string>;
}

export function chosenScope(chosen: ReadonlyMap<string, string>): BulkScope {
  const constraints = [{ value: [...chosen.keys()], matchMode: "in" as const }];
  return { filter: { filters: { id: { operator: "and", constraints } } }, filtered: true, chosen };
}
