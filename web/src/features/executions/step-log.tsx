import type { JobExecution, StepExecution } from "@contract/execution.ts";
import { NativeSelect } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { LogView } from "./log-view.tsx";

const route = getRouteApi("/frame/executions/$executionId");

/** What a step logged, in all its tries or in one of them; the try is in the address. */
export function StepLog({ execution, step }: { execution: JobExecution; step: StepExecution }) {
  const { try: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  const { attempts: last } = step;
  const shown = wanted !== undefined && wanted <= last ? wanted : undefined;
  const choose = (value: string) =>
    void navigate({
      search: (before) => ({ ...before, try: value === "" ? undefined : Number(value) }),
      replace: true,
      resetScroll: false,
    });
  return (
    <LogView
      key={shown ?? "all"}
      executionId={execution.id}
      step={step.stepKey}
      run={step.run}
      try={shown}
      // Nothing is added to the log of a try that is over.
      live={execution.endTime === null && (shown ?? last) === last}
      scope={
        last > 1 && (
          <NativeSelect
            size="xs"
            aria-label="Try"
            data={[
              { value: "", label: "All tries" },
              ...Array.from({ length: last }, (_, i) => ({
                value: String(i + 1),
                label: i + 1 === last ? `Try ${last}, the last` : `Try ${i + 1}`,
              })),
            ]}
            value={shown ?? ""}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          />
        )
      }
    />
  );
}
