import type { StepLogLine } from "@contract/execution.ts";
import { fullTime } from "../../components/time-format.ts";
import classes from "./log-view.module.css";

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/** One line of a log: when, how grave, what. What was searched for is marked; all of it is text. */
export function LogLine({
  line: { at, level, message, stepKey, attempt },
  before,
  wanted,
  withStep,
}: {
  line: StepLogLine;
  before: StepLogLine | undefined;
  wanted: string;
  withStep: boolean;
}) {
  const date = new Date(at);
  const step = withStep && before?.stepKey !== stepKey ? stepKey : undefined;
  const next = before !== undefined && before.stepKey === stepKey && before.attempt !== attempt;
  return (
    <>
      {step && <div className={classes.step}>{step}</div>}
      <div className={classes.line} data-level={level} data-next={next || undefined}>
        <time dateTime={at} title={fullTime(date)} className={classes.time}>
          {clock.format(date)}
        </time>
        <span className={classes.level}>{level}</span>
        <span className={classes.message}>{marked(message, wanted)}</span>
      </div>
    </>
  );
}

function marked(text: string, wanted: string) {
  if (wanted === "") return text;
  const parts = [];
  const low = text.toLowerCase();
  const looked = wanted.toLowerCase();
  let from = 0;
  for (let at = low.indexOf(looked); at !== -1 && parts.length < 200; at = low.indexOf(looked, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + looked.length)}</mark>);
    from = at + looked.length;
  }
  return [...parts, text.slice(from)];
}
