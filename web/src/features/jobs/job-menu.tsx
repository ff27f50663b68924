import type { Job } from "@contract/job.ts";
import { ActionIcon, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconDownload, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ConfirmAction } from "../../components/confirm-action.tsx";
import { api, sentenceOf } from "../../services/api.ts";
import { saveFile } from "../../services/files.ts";
import { keys } from "../../services/keys.ts";
import { useCan } from "../../services/session.tsx";

/** What is done with a job less often. */
export function JobMenu({ job }: { job: Job }) {
  const can = useCan();
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  async function download(format: "yaml" | "json") {
    try {
      const { data } = await api.exportJob({ params: { id: job.id }, query: { format } });
      saveFile(`${job.name}.${format}`, data, format === "yaml" ? "application/yaml" : "application/json");
    } catch (error) {
      notifications.show({ color: "red", title: "It was not exported", message: sentenceOf(error) });
    }
  }

  async function remove() {
    await api.deleteJob({ params: { id: job.id } });
    await navigate({ to: "/jobs" });
    queryClient.removeQueries({ queryKey: keys.jobs.one(job.id) });
    void queryClient.invalidateQueries({ queryKey: keys.jobs.all });
    notifications.show({ message: `${job.name} is deleted. Its executions stay readable.` });
  }

  return (
    <ConfirmAction
      title={`Delete ${job.name}?`}
      says="The job and its versions go. Executions that run go on to their end, and all of them stay readable."
      label="Delete the job"
      danger
      run={remove}
    >
      {(ask) => (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label="More">
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => void download("yaml")}>
              Export as YAML
            </Menu.Item>
            <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => void download("json")}>
              Export as JSON
            </Menu.Item>
            {can("JobService:Job:delete") && (
              <>
                <Menu.Divider />
                <Menu.Item c="var(--st-red)" leftSection={<IconTrash size={16} />} onClick={ask}>
                  Delete …
                </Menu.Item>
              </>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
    </ConfirmAction>
  );
}
