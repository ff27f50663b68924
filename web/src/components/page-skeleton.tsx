import { Group, Skeleton, Stack } from "@mantine/core";

/** The shape of a page while its script or its first data are on their way. */
export function PageSkeleton() {
  return (
    <Stack gap="md" aria-busy="true" aria-label="Loading">
      <Group justify="space-between">
        <Skeleton height={28} width={220} radius="md" />
        <Skeleton height={34} width={120} radius="md" />
      </Group>
      <Skeleton height={36} width="60%" radius="md" />
      <Skeleton height={320} radius="lg" />
    </Stack>
  );
}
