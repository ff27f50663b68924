import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { IconType } from "../../components/icon.ts";
import classes from "./notice.module.css";
import type { Tone } from "./tone-badge.tsx";

interface NoticeProps {
  tone: Tone;
  icon?: IconType;
  title?: string;
  /** alert: what went wrong; status: how something stands. */
  role?: "alert" | "status";
  children?: ReactNode;
}

/** Something to know at once, in the colours of states: readable on them, light and dark. */
export function Notice({ tone, icon: Icon, title, role, children }: NoticeProps) {
  return (
    <div className={classes.notice} style={{ background: `var(--st-${tone}-bg)` }} role={role}>
      {Icon && (
        <span className={classes.icon} style={{ color: `var(--st-${tone})` }} aria-hidden>
          <Icon size={20} stroke={2} />
        </span>
      )}
      <div className={classes.text}>
        {title && (
          <Text size="sm" fw={600} c={`var(--st-${tone})`}>
            {title}
          </Text>
        )}
        {children && (
          <Text size="sm" component="div" className="any-text">
            {children}
          </Text>
        )}
      </div>
    </div>
  );
}
