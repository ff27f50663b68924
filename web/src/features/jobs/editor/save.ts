import type { Job, JobInput } from "@contract/job.ts";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api } from "../../../services/api.ts";
import { keys } from "../../../services/keys.ts";
import { read } from "./place.ts";

/** Saves the text as a new job, or as the next version of the one that was opened; not over somebody else's. */
export function useSave(job: Job | undefined, onSaved: () => void) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (text: string) => {
      const document = read(text);
      const [problem] = document.errors;
      if (problem) throw new Error(`The text is not YAML yet: ${problem.message.split("\n")[0]}`);
      const body = document.toJS() as JobInput;
      if (!job) return api.createJob({ body });
      return api.replaceJob({
        params: { id: job.id },
        query: { expectedVersion: job.version },
        body: withIds(body, job),
      });
    },
    onSuccess: async ({ data, message }) => {
      onSaved();
      await queryClient.invalidateQueries({ queryKey: keys.jobs.all });
      notifications.show({ color: "green.8", title: data.name, message });
      await navigate({ to: "/jobs/$jobId", params: { jobId: data.id } });
    },
  });
}

/** A step keeps its id when its key stays. When only the key changed, its place and its type tell that it is the same. */
function withIds(body: JobInput, job: Job): JobInput {
  if (!Array.isArray(body?.steps)) return body;
  const now = new Set(body.steps.map((step) => step?.key));
  const before = new Set(job.steps.map(({ key }) => key));
  const steps = body.steps.map((step, i) => {
    const old = job.steps[i];
    const renamed = old && step && !before.has(step.key) && !now.has(old.key) && old.type === step.type;
    return renamed ? { ...step, id: old.id } : step;
  });
  return { ...body, steps };
}
