import { looks, type ShownStatus } from "./status.ts";
import classes from "./status-badge.module.css";

/** A status as icon, word and colour. `bare`: without its background, for dense lists. */
export function StatusBadge({
  status,
  large,
  bare,
}: {
  status: ShownStatus;
  large?: boolean;
  bare?: boolean;
}) {
  const { label, tone, icon: Icon, moving } = looks[status];
  return (
    <span
      className={classes.badge}
      data-large={large || undefined}
      data-bare={bare || undefined}
      style={{ color: `var(--st-${tone})`, background: bare ? undefined : `var(--st-${tone}-bg)` }}
    >
      <span className={moving ? classes.moving : undefined} style={{ display: "inline-flex" }} aria-hidden>
        <Icon size={large ? 17 : 14} stroke={2.2} />
      </span>
      {label}
    </span>
  );
}
