import { Link } from "@tanstack/react-router";
import tabs from "../../components/link-tabs.module.css";
import type { StepView } from "../../routes/executions.ts";

const labels: Record<StepView, string> = {
  output: "Output",
  input: "Input",
  error: "Error",
  log: "Log",
  attempts: "Attempts",
};

/** What there is to see of a step, as links: a colleague is sent to the very one. */
export function StepTabs({ views, shown }: { views: StepView[]; shown: StepView }) {
  return (
    <nav className={tabs.tabs} aria-label="Of the step" style={{ marginBottom: 0, paddingInline: 8 }}>
      {views.map((view) => (
        <Link
          key={view}
          from="/executions/$executionId"
          to="."
          search={(before) => ({ ...before, view })}
          replace
          resetScroll={false}
          className={tabs.tab}
          aria-current={view === shown ? "page" : undefined}
        >
          {labels[view]}
        </Link>
      ))}
    </nav>
  );
}
