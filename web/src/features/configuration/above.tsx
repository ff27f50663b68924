import { Anchor } from "@mantine/core";
import { Link, type LinkProps } from "@tanstack/react-router";

/** The way to the list that a page belongs to. */
export function Above({ to, children }: { to: NonNullable<LinkProps["to"]>; children: string }) {
  return (
    <Anchor renderRoot={(props) => <Link to={to as "/"} {...props} />} size="sm">
      {children}
    </Anchor>
  );
}
