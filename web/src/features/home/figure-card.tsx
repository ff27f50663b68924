import { Paper, Skeleton, Text } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./figure-card.module.css";

interface FigureCardProps extends Pick<LinkProps, "to" | "search"> {
  label: string;
  /** Undefined while it is on its way. */
  value: ReactNode | undefined;
  /** What it means, in a few words. */
  note?: ReactNode;
  /** Of the variables in status.css: for a number that asks for somebody. */
  tone?: "red" | "violet" | "blue" | "amber" | "green" | undefined;
}

/** A number that leads to what it counts. */
export function FigureCard({ label, value, note, tone, to, search }: FigureCardProps) {
  return (
    <Paper className={classes.card} px="md" py="sm">
      <Link className={classes.link} to={to as "/"} search={search as object}>
        {label}
      </Link>
      <div className={classes.value} style={tone ? { color: `var(--st-${tone})` } : undefined}>
        {value === undefined ? <Skeleton height={26} width={56} my={4} /> : value}
      </div>
      <Text size="xs" c="dimmed" mih={18}>
        {note}
      </Text>
    </Paper>
  );
}
