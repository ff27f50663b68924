import { Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import classes from "./page.module.css";

interface PageProps {
  title: string;
  /** Where this page is: links from the outermost on. */
  above?: ReactNode;
  /** Beside the title. */
  badge?: ReactNode;
  /** Under the title. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** What every page has: a title that the browser's tab shows too, what can be done, and room for the rest. */
export function Page({ title, above, badge, about, actions, children }: PageProps) {
  useDocumentTitle(`${title.slice(0, 80)} · Pawl`);
  return (
    <Stack gap="lg" className={classes.page}>
      <header className={classes.header}>
        <div className={classes.names}>
          {above && (
            <Text size="sm" c="dimmed" component="nav" aria-label="Above this page">
              {above}
            </Text>
          )}
          <Group gap="sm" wrap="wrap">
            <Title order={1} className={classes.title}>
              {title}
            </Title>
            {badge}
          </Group>
          {about && (
            <Text size="sm" c="dimmed" component="div" className="any-text">
              {about}
            </Text>
          )}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </Stack>
  );
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section>
      <Group justify="space-between" mb="xs" mih={36}>
        <Title order={2}>{title}</Title>
        {actions}
      </Group>
      {children}
    </section>
  );
}
