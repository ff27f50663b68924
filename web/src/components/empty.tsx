import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** What to say where there is nothing yet: why, and what to do first. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      {icon && (
        <Text c="dimmed" component="span" aria-hidden style={{ lineHeight: 0 }}>
          {icon}
        </Text>
      )}
      <Title order={3} fw={600}>
        {title}
      </Title>
      {children && (
        <Text c="dimmed" size="sm" maw={420}>
          {children}
        </Text>
      )}
      {action && <div style={{ marginTop: 8 }}>{action}</div>}
    </Stack>
  );
}
