import { Checkbox } from "@mantine/core";
import { aboveRow, type Column } from "../../components/table/data-table.tsx";
import { shortTime } from "../../components/time-format.ts";
import type { ListedExecution } from "./queries.ts";
import type { Chosen } from "./use-chosen.ts";

/** A checkbox before each row; with Shift it takes all since the one before along. */
export function chooseColumn(chosen: Chosen): Column<ListedExecution> {
  const { names, whole, set, all, clear } = chosen;
  return {
    id: "choose",
    header: "Choose",
    head: (
      <Checkbox
        size="xs"
        ml={3}
        aria-label="Choose all that the list shows"
        checked={names.size > 0}
        indeterminate={names.size > 0 && !whole}
        onChange={() => (names.size > 0 ? clear() : void all())}
      />
    ),
    width: "58px",
    phone: "title",
    cell: (execution, index) => (
      <span className={aboveRow}>
        <Checkbox
          size="xs"
          display="inline-block"
          style={{ verticalAlign: "middle", marginInline: "3px 0.6rem" }}
          aria-label={`Choose ${execution.jobName}, started ${shortTime(new Date(execution.startTime))}`}
          checked={names.has(execution.id)}
          // It would mark the text in between.
          onMouseDown={(event) => event.shiftKey && event.preventDefault()}
          onChange={({ currentTarget, nativeEvent }) =>
            void set(execution, index, currentTarget.checked, (nativeEvent as MouseEvent).shiftKey)
          }
        />
      </span>
    ),
  };
}
