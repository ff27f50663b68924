import { SegmentedControl } from "@mantine/core";
import type { Condition, TableState } from "../../components/table/filters.ts";

const tabs = [
  { value: "all", label: "All" },
  { value: "RUNNING", label: "Running" },
  { value: "PAUSED", label: "Paused" },
  { value: "FAILED", label: "Failed" },
];

/** The filters that one wants most, at a click. */
export function StatusTabs({
  state,
  onChange,
}: {
  state: TableState;
  onChange: (state: TableState) => void;
}) {
  const others = (state.f ?? []).filter(([field]) => field !== "status");
  const statuses = (state.f ?? []).filter(([field]) => field === "status");
  const [only] = statuses;
  const chosen =
    statuses.length === 1 && only![1] === "in" && (only![2] as string[]).length === 1
      ? (only![2] as string[])[0]!
      : "";
  const value = statuses.length === 0 ? "all" : chosen;
  return (
    <SegmentedControl
      aria-label="Status"
      data={tabs}
      value={value}
      onChange={(next) => {
        const f: Condition[] = next === "all" ? others : [["status", "in", [next]], ...others];
        onChange({ ...state, f: f.length > 0 ? f : undefined });
      }}
    />
  );
}
