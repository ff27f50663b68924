import type { ExecutionStatus } from "@contract/execution.ts";
import type { Timeline } from "@contract/overview.ts";
import { CompositeChart } from "@mantine/charts";
import "@mantine/charts/styles.layer.css";
import { ColorSwatch, Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { foundBy } from "../executions/found-by.ts";
import { OverTimeTooltip } from "./over-time-tooltip.tsx";
import { type RangeName, ranges } from "./ranges.ts";
import { type Stretch, stretchesOf } from "./stretches.ts";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

const bars = [
  { name: "completed", label: "Completed", color: "var(--st-green-solid)" },
  { name: "failed", label: "Failed", color: "var(--st-red-solid)" },
  { name: "stopped", label: "Stopped", color: "var(--st-gray-solid)" },
  { name: "unfinished", label: "Not over", color: "var(--st-blue-solid)" },
];

const success = { name: "success", label: "Success", color: "var(--mantine-color-dimmed)" };

const statuses: Record<string, ExecutionStatus[]> = {
  completed: ["COMPLETED"],
  failed: ["FAILED"],
  stopped: ["STOPPED"],
  unfinished: ["RUNNING", "PAUSED"],
};

/**
 * Executions over time by what became of them, with the share that succeeded. A piece of a bar leads to what it counts, the
 * room around it to all of its time; so does Enter, once the arrows have led there.
 */
export default function OverTimeChart({ timeline, range }: { timeline: Timeline; range: RangeName }) {
  const navigate = useNavigate();
  const data = stretchesOf(timeline);
  const format = ranges[range].bucketMs < 6 * 3_600_000 ? clock : day;

  // What the tooltip tells about, which the arrows move.
  const shown = useRef<Stretch>(undefined);

  function open(stretch: Stretch | undefined, status?: ExecutionStatus[]): void {
    if (!stretch || stretch.total === 0) return;
    const search = foundBy({ from: stretch.at, to: stretch.until, ...(status ? { status } : {}) });
    void navigate({ to: "/executions", search });
  }

  return (
    <>
      <CompositeChart
        h={210}
        data={data}
        onKeyDown={({ key }) => key === "Enter" && open(shown.current)}
        dataKey="at"
        series={[
          ...bars.map((bar) => ({ ...bar, type: "bar" as const })),
          { ...success, type: "line", yAxisId: "right" },
        ]}
        barProps={({ name }) => ({
          stackId: "all",
          isAnimationActive: false,
          onClick: ({ payload }, _, event) => {
            event.stopPropagation();
            open(payload as Stretch, statuses[name]);
          },
        })}
        lineProps={{ isAnimationActive: false, strokeWidth: 1.5 }}
        dotProps={{ r: 3.5, strokeWidth: 1.5, stroke: "var(--pawl-card)" }}
        curveType="linear"
        withRightYAxis
        rightYAxisProps={{ domain: [0, 100], ticks: [0, 50, 100], unit: " %", width: 46 }}
        yAxisProps={{ allowDecimals: false, width: 36 }}
        xAxisProps={{ tickFormatter: (at: string) => format.format(new Date(at)), minTickGap: 28 }}
        composedChartProps={{
          onClick: ({ activeTooltipIndex }) => open(data[Number(activeTooltipIndex)]),
          style: { cursor: "pointer" },
        }}
        tooltipProps={{
          isAnimationActive: false,
          content: ({ active, payload }) => {
            shown.current = active ? (payload?.[0]?.payload as Stretch | undefined) : undefined;
            return <OverTimeTooltip stretch={shown.current} />;
          },
        }}
      />
      <Group gap="md" style={{ rowGap: 4 }} justify="center" mt="sm" aria-hidden>
        {[...bars, success].map(({ name, label, color }) => (
          <Group key={name} gap={6} fz="xs" c="dimmed">
            <ColorSwatch size={9} color={color} withShadow={false} />
            {label}
          </Group>
        ))}
      </Group>
    </>
  );
}
