import type { JobLimits } from "@contract/identity.ts";
import { MultiSelect, Stack, Switch, TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { useCan } from "../../services/session.tsx";

interface JobLimitsProps {
  value: JobLimits | null;
  onChange: (value: JobLimits | null) => void;
  disabled: boolean;
  error?: string | undefined;
}

/** Which jobs a principal may see and use: all, or those that a list names. */
export function JobLimitsFields({ value, onChange, disabled, error }: JobLimitsProps) {
  const set = (change: JobLimits) => onChange(withoutEmpty({ ...value, ...change }));
  return (
    <Stack gap="md">
      <Switch
        label="Every job"
        description="Otherwise only those that one of the lists below names."
        checked={value === null}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? null : {})}
        error={error}
      />
      {value !== null && (
        <>
          <TagsInput
            label="Jobs with one of these tags"
            placeholder={value.tags?.length ? "" : "Enter after each"}
            disabled={disabled}
            value={value.tags ?? []}
            onChange={(tags) => set({ tags })}
          />
          <Choices
            label="Jobs of these collections"
            noun="collections"
            disabled={disabled}
            value={value.collections ?? []}
            onChange={(collections) => set({ collections })}
          />
          <Choices
            label="These jobs"
            noun="jobs"
            disabled={disabled}
            value={value.ids ?? []}
            onChange={(ids) => set({ ids })}
          />
        </>
      )}
    </Stack>
  );
}

function withoutEmpty(limits: JobLimits): JobLimits {
  return Object.fromEntries(Object.entries(limits).filter(([, list]) => list && list.length > 0));
}

interface ChoicesProps {
  label: string;
  noun: "collections" | "jobs";
  value: string[];
  onChange: (value: string[]) => void;
  disabled: boolean;
}

function Choices({ label, noun, value, onChange, disabled }: ChoicesProps) {
  const can = useCan();
  const may = can(noun === "jobs" ? "JobService:Job:read" : "JobService:Collection:read");
  const { data = [] } = useQuery({
    queryKey: [noun, "list", "choices"],
    queryFn: async ({ signal }): Promise<{ id: string; name: string }[]> => {
      const request = { body: { sortBy: "name", sortOrder: "asc" as const, size: 1000 }, signal };
      return noun === "jobs"
        ? (await api.searchJobs(request)).data
        : (await api.searchCollections(request)).data;
    },
    enabled: may,
  });
  const names = new Map(data.map(({ id, name }) => [id, name]));
  // Of what can't be seen, or is gone, there is only the id.
  const unknown = value.filter((id) => !names.has(id)).map((id) => ({ value: id, label: id }));
  return (
    <MultiSelect
      label={label}
      searchable
      limit={100}
      disabled={disabled || !may}
      placeholder={value.length === 0 ? "None" : ""}
      nothingFoundMessage="None of this name"
      data={[...data.map(({ id, name }) => ({ value: id, label: name })), ...unknown]}
      value={value}
      onChange={onChange}
    />
  );
}
