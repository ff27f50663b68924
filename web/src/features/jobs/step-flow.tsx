import type { Step } from "@contract/job.ts";
import { Collapse, Text } from "@mantine/core";
import { useState } from "react";
import classes from "./step-flow.module.css";
import { StepIcon } from "./step-icon.tsx";
import { StepInput } from "./step-input.tsx";
import { conditionsOf, summaryOf } from "./step-summary.ts";

/** What a job does, step after step; each unfolds to its input. */
export function StepFlow({ steps }: { steps: Step[] }) {
  return (
    <ol className={classes.flow} aria-label="Steps">
      {steps.map((step) => (
        <li key={step.id} className={classes.step}>
          <span className={classes.icon} aria-hidden>
            <StepIcon type={step.type} />
          </span>
          <StepCard step={step} />
        </li>
      ))}
    </ol>
  );
}

function StepCard({ step }: { step: Step }) {
  const [opened, setOpened] = useState(false);
  const { key, name, type, when, description, input } = step;
  const conditions = conditionsOf(step);
  return (
    <div>
      {when && (
        <div className={classes.when}>
          only when <code className="any-text">{when}</code>
        </div>
      )}
      <div className={classes.card}>
        <button
          type="button"
          className={classes.head}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <span className={classes.name}>
            <Text component="span" fw={600} size="sm" dir="auto" style={{ overflowWrap: "anywhere" }}>
              {name ?? key}
            </Text>
            <span className={classes.key}>{key}</span>
            <span className={classes.type}>{type}</span>
          </span>
          <span className={classes.summary} style={{ display: "block" }}>
            {summaryOf(step).slice(0, 300)}
          </span>
          {conditions.length > 0 && <span className={classes.conditions}>{conditions.join(" · ")}</span>}
        </button>
        <Collapse expanded={opened} keepMounted={false}>
          <div className={classes.body}>
            {description && (
              <Text size="sm" mb="sm" className="any-text">
                {description}
              </Text>
            )}
            <StepInput input={input} />
          </div>
        </Collapse>
      </div>
    </div>
  );
}
