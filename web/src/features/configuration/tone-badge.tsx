import type { IconType } from "../../components/icon.ts";
import classes from "./tone-badge.module.css";

export type Tone = "blue" | "amber" | "green" | "red" | "violet" | "gray";

/** A state as icon, word and colour. */
export function ToneBadge({ label, tone, icon: Icon }: { label: string; tone: Tone; icon?: IconType }) {
  return (
    <span
      className={classes.badge}
      style={{ color: `var(--st-${tone})`, background: `var(--st-${tone}-bg)` }}
    >
      {Icon && (
        <span className={classes.icon} aria-hidden>
          <Icon size={14} stroke={2.2} />
        </span>
      )}
      {label}
    </span>
  );
}
