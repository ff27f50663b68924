import { SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCan } from "../../services/session.tsx";
import { foundBy } from "../executions/found-by.ts";
import { FigureCard } from "./figure-card.tsx";
import { approvalsQuery, pausedQuery, runningQuery, timelineQuery } from "./queries.ts";
import { ranges } from "./ranges.ts";
import { sumOf } from "./stretches.ts";

const route = getRouteApi("/frame/");

/** The numbers that one looks for first; each leads to what it counts. */
export function Figures() {
  const { range = "day" } = route.useSearch();
  const mayDecide = useCan()("JobService:JobExecution:approve");
  const running = useQuery(runningQuery);
  const paused = useQuery(pausedQuery);
  const decisions = useQuery({ ...approvalsQuery, enabled: mayDecide });
  const { data: timeline } = useQuery(timelineQuery(range));
  const sum = timeline && sumOf(timeline.buckets);
  const within = { from: timeline?.from };
  const yours = decisions.data?.rows.filter(({ mayDecide }) => mayDecide).length ?? 0;
  const lately = `last ${ranges[range].label}`;

  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: mayDecide ? 6 : 5 }} spacing="md">
      <FigureCard
        label="Running"
        value={running.data?.total.toLocaleString()}
        note="now"
        tone={running.data?.total ? "blue" : undefined}
        to="/executions"
        search={foundBy({ status: ["RUNNING"] })}
      />
      {mayDecide && (
        <FigureCard
          label="Need a decision"
          value={decisions.data?.total.toLocaleString()}
          note={decisions.data && (yours > 0 ? `${yours} you may decide` : "none that you may decide")}
          tone={decisions.data?.total ? "violet" : undefined}
          to="/approvals"
          search={{}}
        />
      )}
      <FigureCard
        label="Paused"
        value={paused.data?.total.toLocaleString()}
        note={paused.data && decisions.data && byHand(paused.data.total - decisions.data.total)}
        to="/executions"
        search={foundBy({ status: ["PAUSED"] })}
      />
      <FigureCard
        label="Started"
        value={sum?.total.toLocaleString()}
        note={lately}
        to="/executions"
        search={foundBy(within)}
      />
      <FigureCard
        label="Failed"
        value={sum?.failed.toLocaleString()}
        note={lately}
        tone={sum?.failed ? "red" : undefined}
        to="/executions"
        search={foundBy({ status: ["FAILED"], ...within })}
      />
      <FigureCard
        label="Success"
        value={sum && (sum.success === null ? "–" : `${sum.success} %`)}
        note={lately}
        to="/executions"
        search={foundBy({ status: ["COMPLETED"], ...within })}
      />
    </SimpleGrid>
  );
}

/** Of those that are paused, the others wait for a decision. */
function byHand(count: number): string {
  return `${Math.max(0, count).toLocaleString()} by hand`;
}
