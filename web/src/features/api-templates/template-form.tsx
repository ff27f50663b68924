import type { ApiTemplate } from "@contract/api-template.ts";
import { Group, JsonInput, NativeSelect, Stack, Switch, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DescriptionField } from "../../components/description-field.tsx";
import { SaveButtons } from "../../components/save-buttons.tsx";
import { api } from "../../services/api.ts";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";
import { refuseTaken } from "../configuration/refuse-taken.ts";
import { LeaveGuard } from "../jobs/editor/leave-guard.tsx";
import { BodyFields } from "./body-fields.tsx";
import { draftOf, inputOf, isJson, isReady, methods, type TemplateDraft } from "./draft.ts";
import { Pairs } from "./pairs.tsx";

interface TemplateFormProps {
  template?: ApiTemplate;
  onSaved?: (template: ApiTemplate) => unknown;
  readOnly?: boolean;
}

const pointer = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** A request, and the params that steps fill into it. */
export function TemplateForm({ template, onSaved, readOnly = false }: TemplateFormProps) {
  const [draft, setDraft] = useState(() => draftOf(template));
  const set = (change: Partial<TemplateDraft>) => setDraft({ ...draft, ...change });
  const save = useSave(template, (saved, sent) => {
    // What was typed meanwhile stays.
    setDraft((now) => (now === sent ? draftOf(saved) : now));
    return onSaved?.(saved);
  });
  const ready = isReady(draft);
  const dirty =
    !ready ||
    JSON.stringify(inputOf(draft, template)) !== JSON.stringify(inputOf(draftOf(template), template));
  const fault = (path: string) => faultAt(save.error, path);
  const shown = (path: string) =>
    ["/name", "/description", "/category", "/method", "/path", "/parameters"].includes(path) ||
    /^\/(headers|query)\/[^/]+$/.test(path);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) save.mutate(draft);
      }}
    >
      <LeaveGuard isDirty={() => dirty && !save.isPending} />
      <Stack gap="md">
        <FormFault error={save.error} shown={shown} />
        <TextInput
          label="Name"
          required
          maxLength={200}
          dir="auto"
          autoFocus={!template}
          disabled={readOnly}
          value={draft.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          error={fault("/name")}
        />
        <DescriptionField
          disabled={readOnly}
          value={draft.description}
          onChange={(description) => set({ description })}
          error={fault("/description")}
        />
        <TextInput
          label="Category"
          maxLength={100}
          dir="auto"
          disabled={readOnly}
          value={draft.category}
          onChange={({ currentTarget }) => set({ category: currentTarget.value })}
          error={fault("/category")}
        />
        <Switch
          label="Through a connection"
          description="The step names a REST API connection, whose base URL and credentials are used."
          disabled={readOnly}
          checked={draft.connected}
          onChange={({ currentTarget }) => set({ connected: currentTarget.checked })}
        />
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <NativeSelect
            label="Method"
            w={116}
            data={[...methods]}
            disabled={readOnly}
            value={draft.method}
            onChange={({ currentTarget }) => set({ method: currentTarget.value as TemplateDraft["method"] })}
            error={fault("/method")}
          />
          <TextInput
            label={draft.connected ? "Path" : "URL"}
            flex={1}
            required
            placeholder={
              draft.connected ? "/orders/{{ params.id }}" : "https://api.example.com/orders/{{ params.id }}"
            }
            maxLength={8192}
            spellCheck={false}
            disabled={readOnly}
            value={draft.path}
            onChange={({ currentTarget }) => set({ path: currentTarget.value })}
            error={fault("/path")}
            classNames={{ input: "mono" }}
          />
        </Group>
        <Pairs
          title="Query"
          noun="query value"
          pairs={draft.query}
          onChange={(query) => set({ query })}
          faultOf={(name) => fault(`/query/${pointer(name)}`)}
          disabled={readOnly}
        />
        <Pairs
          title="Headers"
          noun="header"
          help="None with credentials: those are the connection's."
          pairs={draft.headers}
          onChange={(headers) => set({ headers })}
          faultOf={(name) => fault(`/headers/${pointer(name)}`)}
          disabled={readOnly}
        />
        <BodyFields draft={draft} onChange={set} disabled={readOnly} />
        <JsonInput
          label="Params"
          description="JSON Schema of what a step fills in: what {{ params.… }} above names."
          placeholder={
            '{ "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" } } }'
          }
          autosize
          minRows={4}
          maxRows={20}
          disabled={readOnly}
          value={draft.parameters}
          onChange={(parameters) => set({ parameters })}
          error={
            draft.parameters.trim() !== "" && !isJson(draft.parameters)
              ? "This is not JSON yet."
              : fault("/parameters")
          }
          classNames={{ input: "mono" }}
        />
        {!readOnly && (
          <SaveButtons
            make="Make the template"
            isNew={!template}
            dirty={dirty}
            ready={ready}
            saving={save.isPending}
            onUndo={() => {
              setDraft(draftOf(template));
              save.reset();
            }}
          />
        )}
      </Stack>
    </form>
  );
}

function useSave(
  template: ApiTemplate | undefined,
  onSaved: (saved: ApiTemplate, sent: TemplateDraft) => unknown,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (draft: TemplateDraft) => {
      if (!template) await refuseTaken("template", draft.name, api.searchApiTemplates);
      const query = template ? { expectedVersion: template.version } : {};
      return api.upsertApiTemplate({ query, body: inputOf(draft, template) });
    },
    onSuccess: async ({ data, message }, sent) => {
      queryClient.setQueryData(["api-templates", "one", data.id], data);
      void queryClient.invalidateQueries({ queryKey: ["api-templates", "list"] });
      notifications.show({ message });
      await onSaved(data, sent);
    },
  });
}
