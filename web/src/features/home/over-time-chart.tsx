import type { Timeline } from "@contract/overview.ts";
import { CompositeChart } from "@mantine/charts";
import "@mantine/charts/styles.layer.css";
import { ColorSwatch, Group } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
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

/** Executions over time by what became of them, with the share that succeeded; a bar leads to what it counts. */
export default function OverTimeChart({ timeline, range }: { timeline: Timeline; range: RangeName }) {
  const navigate = useNavigate();
  const data = stretchesOf(timeline);
  const format = ranges[range].bucketMs < 6 * 3_600_000 ? clock : day;

  function open(index: unknown): void {
    const stretch = data[Number(index)];
    if (stretch && stretch.total > 0) {
      void navigate({ to: "/executions", search: foundBy({ from: stretch.at, to: stretch.until }) });
    }
  }

  return (
    <>
      <CompositeChart
        h={210}
        data={data}
        dataKey="at"
        series={[
          ...bars.map((bar) => ({ ...bar, type: "bar" as const })),
          { ...success, type: "line", yAxisId: "right" },
        ]}
        barProps={{ stackId: "all", isAnimationActive: false }}
        lineProps={{ isAnimationActive: false, strokeWidth: 1.5 }}
        dotProps={{ r: 3.5, strokeWidth: 1.5, stroke: "var(--pawl-card)" }}
        curveType="linear"
        withRightYAxis
        rightYAxisProps={{ domain: [0, 100], ticks: [0, 50, 100], unit: " %", width: 46 }}
        yAxisProps={{ allowDecimals: false, width: 36 }}
        xAxisProps={{ tickFormatter: (at: string) => format.format(new Date(at)), minTickGap: 28 }}
        composedChartProps={{
          onClick: ({ activeTooltipIndex }) => open(activeTooltipIndex),
          style: { cursor: "pointer" },
        }}
        tooltipProps={{
          isAnimationActive: false,
          content: ({ payload }) => (
            <OverTimeTooltip stretch={payload?.[0]?.payload as Stretch | undefined} />
          ),
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
