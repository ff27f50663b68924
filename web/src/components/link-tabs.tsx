import { Link, type LinkProps } from "@tanstack/react-router";
import classes from "./link-tabs.module.css";

export interface LinkTab extends Pick<LinkProps, "to" | "params"> {
  label: string;
  /** Only at exactly this address, not at those below it. */
  exact?: boolean;
}

/** The pages of one thing side by side, as links: they can be opened beside each other, and bookmarked. */
export function LinkTabs({ label, tabs }: { label: string; tabs: LinkTab[] }) {
  return (
    <nav className={classes.tabs} aria-label={label}>
      {tabs.map(({ to, params, label, exact }) => (
        <Link
          key={to}
          to={to as "/"}
          params={params as object}
          className={classes.tab}
          activeOptions={{ exact: exact ?? false, includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
