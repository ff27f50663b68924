import { Button, Group, Paper } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Empty } from "../../components/empty.tsx";
import { Page } from "../../components/page.tsx";
import { useCan } from "../../services/session.tsx";

/** Home before anything has run, and of those who may not see what runs. */
export function FirstSteps() {
  const can = useCan();
  const sees = can("JobService:JobExecution:read");
  return (
    <Page title="Home">
      <Paper>
        <Empty
          icon={<IconPlayerPlay size={36} stroke={1.4} />}
          title={sees ? "Nothing has run yet" : "Welcome"}
          action={
            <Group justify="center">
              {can("JobService:Job:read") && (
                <Button variant="default" renderRoot={(props) => <Link to="/jobs" {...props} />}>
                  See the jobs
                </Button>
              )}
              {can("JobService:Job:upsert") && (
                <Button renderRoot={(props) => <Link to="/jobs/new" {...props} />}>Create a job</Button>
              )}
            </Group>
          }
        >
          {sees
            ? "Start a job, and you see here what runs, what waits for you and what failed."
            : "What runs is not for you to see. What you may do is in the navigation."}
        </Empty>
      </Paper>
    </Page>
  );
}
