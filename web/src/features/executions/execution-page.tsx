import { ActionIcon, Alert, Anchor, Drawer, Tooltip } from "@mantine/core";
import { useClipboard, useMediaQuery } from "@mantine/hooks";
import { IconCheck, IconLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { LiveDot } from "../../components/live-dot.tsx";
import { Page } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { ExecutionSearch } from "../../routes/executions.ts";
import { useLiveExecution } from "../../services/events.ts";
import { useVisited } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { ControlButtons } from "./control-buttons.tsx";
import { DecisionCard } from "./decision-card.tsx";
import { ExecutionFacts } from "./execution-facts.tsx";
import classes from "./execution-page.module.css";
import { ExecutionSide } from "./execution-side.tsx";
import { executionQuery } from "./queries.ts";
import { RestartDialog } from "./restart-dialog.tsx";
import { shownStatus } from "./shown-status.ts";
import { StatusBanner } from "./status-banner.tsx";
import { StepPanel } from "./step-panel.tsx";
import { Timeline } from "./timeline.tsx";

const route = getRouteApi("/frame/executions/$executionId");

/** One execution: where it stands, what its steps did when, and what can be done with it. */
export function ExecutionPage() {
  const { executionId } = route.useParams();
  const { step: stepKey, view, run, decide } = route.useSearch();
  const navigate = route.useNavigate();
  const can = useCan();
  const wide = useMediaQuery("(min-width: 75em)", undefined, { getInitialValueInEffect: false }) ?? true;
  const { data: execution, error, refetch } = useQuery(executionQuery(executionId, run));
  const latest = useQuery({ ...executionQuery(executionId), enabled: run !== undefined });
  const now = run === undefined ? execution : latest.data;
  useLiveExecution(executionId, now !== undefined && now.endTime === null);
  useVisited(execution && { kind: "execution", id: executionId, name: execution.jobName });

  // Here and not at its buttons: one of them moves into a drawer when the window gets narrow.
  const [restart, setRestart] = useState<{ from?: string }>();
  const set = (change: Partial<ExecutionSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false });

  if (error && !execution) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!execution) return <PageSkeleton />;

  const step = execution.stepExecutions.find((one) => one.stepKey === stepKey);
  const earlier = run !== undefined && execution.attempts.at(-1)!.run !== execution.run;
  const panel = step && (
    <StepPanel
      key={step.stepKey}
      execution={execution}
      step={step}
      view={view}
      bare={!wide}
      onRestart={(from) => setRestart({ from })}
      onClose={() => set({ step: undefined, view: undefined })}
    />
  );
  return (
    <Page
      title={execution.jobName}
      above={
        <>
          <Anchor component={Link} to="/executions" size="sm">
            Executions
          </Anchor>
          {can("JobService:Job:read") && (
            <>
              {" · "}
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link to="/jobs/$jobId" params={{ jobId: execution.jobId }} {...props} />
                )}
              >
                The job
              </Anchor>
            </>
          )}
        </>
      }
      badge={
        <>
          <StatusBadge status={shownStatus(execution)} large />
          <LiveDot />
        </>
      }
      actions={
        <>
          <CopyLink />
          {now && <ControlButtons execution={now} onRestart={() => setRestart({})} />}
        </>
      }
    >
      {earlier && (
        <Alert
          color="gray"
          radius="lg"
          title={`This is attempt ${execution.run}, as the restart after it left it`}
        >
          <Anchor component="button" type="button" size="sm" onClick={() => set({ run: undefined })}>
            Show the latest
          </Anchor>
        </Alert>
      )}
      {!earlier && <StatusBanner execution={execution} />}
      {now && <DecisionCard execution={now} decide={decide} onDecide={(next) => set({ decide: next })} />}
      {now && (
        <RestartDialog
          execution={now}
          opened={restart !== undefined}
          from={restart?.from}
          onClose={() => setRestart(undefined)}
        />
      )}
      <ExecutionFacts execution={execution} />
      <div className={classes.split}>
        <Timeline key={`${execution.id} ${execution.run}`} execution={execution} selected={step?.stepKey} />
        {wide && panel ? panel : <ExecutionSide execution={execution} />}
      </div>
      {!wide && (
        <Drawer
          opened={step !== undefined}
          onClose={() => set({ step: undefined, view: undefined })}
          position="bottom"
          size="88%"
          withCloseButton={false}
          padding={0}
          attributes={{ content: { "aria-label": `Step ${stepKey ?? ""}` } }}
          title={undefined}
        >
          {panel}
        </Drawer>
      )}
    </Page>
  );
}

/** The address, with the step and the view that are open: whoever gets it sees the same. */
function CopyLink() {
  const clipboard = useClipboard({ timeout: 1500 });
  const label = clipboard.copied ? "Copied" : "Copy link";
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={label}
        onClick={() => clipboard.copy(location.href)}
      >
        {clipboard.copied ? <IconCheck size={17} /> : <IconLink size={17} />}
      </ActionIcon>
    </Tooltip>
  );
}
