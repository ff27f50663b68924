import { Tooltip } from "@mantine/core";
import { type Connection, useConnection } from "../services/events.ts";
import classes from "./live-dot.module.css";

const words: Record<Connection, [label: string, about: string]> = {
  idle: ["", ""],
  connecting: ["Connecting", "Pawl is being asked for changes."],
  live: ["Live", "What changes shows here by itself."],
  lost: ["Not live", "The connection to Pawl is lost; it is tried again. What is shown may be old."],
};

/** Whether the page keeps itself up to date. */
export function LiveDot() {
  const connection = useConnection();
  if (connection === "idle") return null;
  const [label, about] = words[connection];
  return (
    <Tooltip label={about}>
      <span className={classes.dot} data-state={connection} role="status">
        {label}
      </span>
    </Tooltip>
  );
}
