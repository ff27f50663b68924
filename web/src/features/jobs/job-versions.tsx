import type { JobVersion } from "@contract/job.ts";
import {
  Badge,
  Button,
  Grid,
  Group,
  Loader,
  Paper,
  Skeleton,
  Stack,
  Text,
  UnstyledButton,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { ConfirmAction } from "../../components/confirm-action.tsx";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { api } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";
import { useCan } from "../../services/session.tsx";
import classes from "./job-versions.module.css";
import { versionQuery } from "./queries.ts";

const route = getRouteApi("/frame/jobs/$jobId/versions");
const VersionDiff = lazy(() => import("./version-diff.tsx"));
const size = 50;

/** The versions of a job, what each changed, and the way back to one. */
export function JobVersions() {
  const { jobId } = route.useParams();
  const { version: chosen, against } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useVersions(jobId);
  const versions = list.data?.pages.flatMap(({ rows }) => rows) ?? [];
  const newest = versions[0]?.version;
  const version = chosen ?? newest;
  const other = against ?? (version !== undefined && version > 1 ? version - 1 : undefined);
  if (list.error && versions.length === 0)
    return <Fault error={list.error} onRetry={() => void list.refetch()} />;
  if (version === undefined) return <Skeleton height={320} radius="lg" />;
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 4, lg: 3 }}>
        <Section title={`${newest} ${newest === 1 ? "version" : "versions"}`}>
          <Paper p={4}>
            <ol className={classes.list} aria-label="Versions">
              {versions.map((row) => (
                <li key={row.version}>
                  <UnstyledButton
                    className={classes.version}
                    aria-current={row.version === version || undefined}
                    onClick={() => void navigate({ search: { version: row.version }, replace: true })}
                  >
                    <VersionLine row={row} />
                  </UnstyledButton>
                </li>
              ))}
            </ol>
            {list.hasNextPage && (
              <Button
                fullWidth
                variant="subtle"
                size="xs"
                loading={list.isFetchingNextPage}
                onClick={() => void list.fetchNextPage()}
              >
                Earlier ones
              </Button>
            )}
          </Paper>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8, lg: 9 }}>
        <Difference jobId={jobId} version={version} other={other} newest={newest!} />
      </Grid.Col>
    </Grid>
  );
}

function VersionLine({ row }: { row: JobVersion }) {
  return (
    <Stack gap={0}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600}>
          Version {row.version}
        </Text>
        {row.current && (
          <Badge size="sm" variant="light">
            current
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed" truncate>
        <TimeText at={row.createdAt} /> by {row.createdBy}
      </Text>
      {row.restoredFrom !== null && (
        <Text size="xs" c="dimmed">
          restored from version {row.restoredFrom}
        </Text>
      )}
    </Stack>
  );
}

function Difference({
  jobId,
  version,
  other,
  newest,
}: {
  jobId: string;
  version: number;
  other: number | undefined;
  newest: number;
}) {
  const after = useQuery(versionQuery(jobId, version));
  const before = useQuery({ ...versionQuery(jobId, other ?? 1), enabled: other !== undefined });
  const error = after.error ?? before.error;
  const loaded = after.data && (other === undefined || before.data);
  return (
    <Section
      title={other === undefined ? "The first version" : `What changed from version ${other} to ${version}`}
      actions={version !== newest && <Restore jobId={jobId} version={version} newest={newest} />}
    >
      {error && <Fault error={error} />}
      {loaded ? (
        <Suspense fallback={<Loader />}>
          <VersionDiff
            before={other === undefined ? undefined : before.data?.definition}
            after={after.data!.definition}
          />
        </Suspense>
      ) : (
        !error && <Skeleton height={320} radius="lg" />
      )}
    </Section>
  );
}

function Restore({ jobId, version, newest }: { jobId: string; version: number; newest: number }) {
  const can = useCan();
  const queryClient = useQueryClient();
  const navigate = route.useNavigate();
  if (!can("JobService:Job:upsert")) return null;
  return (
    <ConfirmAction
      title={`Restore version ${version}?`}
      says={`It becomes version ${newest + 1}, the current one. Executions that run keep the version they started with, and no version is lost.`}
      label="Restore it"
      run={async () => {
        const { message } = await api.restoreJobVersion({ params: { id: jobId, version } });
        await navigate({ search: {}, replace: true });
        await queryClient.invalidateQueries({ queryKey: keys.jobs.all });
        notifications.show({ message });
      }}
    >
      {(ask) => (
        <Button size="xs" variant="default" onClick={ask}>
          Restore version {version} …
        </Button>
      )}
    </ConfirmAction>
  );
}

function useVersions(jobId: string) {
  return useInfiniteQuery({
    queryKey: [...keys.jobs.versions(jobId), "list"],
    initialPageParam: 0,
    queryFn: async ({ pageParam: page, signal }) => {
      const { data, meta } = await api.listJobVersions({
        params: { id: jobId },
        query: { page, size },
        signal,
      });
      return { rows: data, total: meta.totalElements };
    },
    getNextPageParam: ({ total }, pages) => (pages.length * size < total ? pages.length : undefined),
  });
}
