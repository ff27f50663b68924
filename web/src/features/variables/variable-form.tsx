import type { Variable, VariableInput } from "@contract/variable.ts";
import { Group, JsonInput, SegmentedControl, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DescriptionField } from "../../components/description-field.tsx";
import { SaveButtons } from "../../components/save-buttons.tsx";
import { api } from "../../services/api.ts";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";
import { refuseTaken } from "../configuration/refuse-taken.ts";
import { keepSecret, type SecretChange, SecretInput } from "../configuration/secret-input.tsx";
import { LeaveGuard } from "../jobs/editor/leave-guard.tsx";

interface Draft {
  name: string;
  description: string;
  secret: boolean;
  /** How a plain value is written. */
  as: "text" | "json";
  text: string;
  entered: SecretChange;
}

function draftOf(variable?: Variable): Draft {
  const { name = "", description = "", secret = false, value } = variable ?? {};
  const isText = value === undefined || secret || typeof value === "string";
  return {
    name,
    description,
    secret,
    as: isText ? "text" : "json",
    text: secret ? "" : isText ? String(value ?? "") : JSON.stringify(value, null, 2),
    entered: keepSecret,
  };
}

/** Name, kind and value of a global variable. */
export function VariableForm({
  variable,
  onSaved,
  readOnly = false,
}: {
  variable?: Variable;
  onSaved?: (variable: Variable) => unknown;
  readOnly?: boolean;
}) {
  const [draft, setDraft] = useState(() => draftOf(variable));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const save = useSave(variable, (saved, sent) => {
    // What was typed meanwhile stays.
    setDraft((now) => (now === sent ? draftOf(saved) : now));
    return onSaved?.(saved);
  });
  const dirty = JSON.stringify(draft) !== JSON.stringify(draftOf(variable));
  const sealed = variable?.secret ?? false;
  const notJson = !draft.secret && draft.as === "json" && !isJson(draft.text);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!notJson) save.mutate(draft);
      }}
    >
      <LeaveGuard isDirty={() => dirty && !save.isPending} />
      <Stack gap="md">
        <FormFault error={save.error} shown={(path) => ["/name", "/description", "/value"].includes(path)} />
        <TextInput
          label="Name"
          description="Letters, digits and _; expressions say vars. and this name."
          required
          maxLength={64}
          spellCheck={false}
          autoFocus={!variable}
          disabled={readOnly}
          value={draft.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          error={faultAt(save.error, "/name")}
          classNames={{ input: "mono" }}
        />
        <DescriptionField
          disabled={readOnly}
          value={draft.description}
          onChange={(description) => set({ description })}
          error={faultAt(save.error, "/description")}
        />
        <Switch
          label="Secret"
          description="Sealed, never shown again, and masked in what jobs log and answer."
          disabled={readOnly}
          checked={draft.secret}
          onChange={({ currentTarget }) => set({ secret: currentTarget.checked })}
        />
        {draft.secret ? (
          <SecretInput
            label="Value"
            required
            multiline={false}
            isSet={sealed}
            change={draft.entered}
            onChange={(entered) => set({ entered })}
            error={faultAt(save.error, "/value")}
            disabled={readOnly}
          />
        ) : (
          <div>
            <Group justify="space-between" mb={4}>
              <Text size="sm" fw={500}>
                Value
              </Text>
              <SegmentedControl
                size="xs"
                aria-label="How the value is written"
                disabled={readOnly}
                data={[
                  { value: "text", label: "Text" },
                  { value: "json", label: "JSON" },
                ]}
                value={draft.as}
                onChange={(as) => set({ as: as as Draft["as"], text: rewritten(draft, as as Draft["as"]) })}
              />
            </Group>
            {draft.as === "text" ? (
              <Textarea
                aria-label="Value"
                autosize
                minRows={1}
                maxRows={12}
                maxLength={65_536}
                dir="auto"
                disabled={readOnly}
                value={draft.text}
                onChange={({ currentTarget }) => set({ text: currentTarget.value })}
                error={faultAt(save.error, "/value")}
              />
            ) : (
              <JsonInput
                aria-label="Value"
                description="A number, true or false, a list or an object: expressions get it with its type."
                autosize
                minRows={3}
                maxRows={20}
                disabled={readOnly}
                value={draft.text}
                onChange={(text) => set({ text })}
                error={notJson ? "This is not JSON yet." : faultAt(save.error, "/value")}
                classNames={{ input: "mono" }}
              />
            )}
            {sealed && (
              <Text size="xs" c="var(--st-amber)" mt={4}>
                What was secret becomes plain only with a new value.
              </Text>
            )}
          </div>
        )}
        {!readOnly && (
          <SaveButtons
            make="Make the variable"
            isNew={!variable}
            dirty={dirty}
            saving={save.isPending}
            onUndo={() => {
              setDraft(draftOf(variable));
              save.reset();
            }}
          />
        )}
      </Stack>
    </form>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The same value in the other way of writing, where it has one. */
function rewritten({ as, text }: Draft, next: Draft["as"]): string {
  if (as === next) return text;
  if (next === "json") return isJson(text) ? text : JSON.stringify(text);
  const value: unknown = isJson(text) ? JSON.parse(text) : text;
  return typeof value === "string" ? value : text;
}

function sentValue(draft: Draft, variable: Variable | undefined): Pick<VariableInput, "value"> {
  if (draft.secret) {
    if (draft.entered.kind === "enter") return { value: draft.entered.text };
    if (variable?.secret) return {};
    return { value: "" };
  }
  // Nothing was entered for what was sealed: the server says that it must be.
  if (variable?.secret && draft.text === "") return {};
  return { value: draft.as === "json" ? JSON.parse(draft.text) : draft.text };
}

function useSave(variable: Variable | undefined, onSaved: (saved: Variable, sent: Draft) => unknown) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (draft: Draft) => {
      if (!variable) await refuseTaken("variable", draft.name, api.searchVariables);
      return api.upsertVariable({
        query: variable ? { expectedVersion: variable.version } : {},
        body: {
          ...(variable ? { id: variable.id } : {}),
          name: draft.name,
          description: draft.description,
          secret: draft.secret,
          ...sentValue(draft, variable),
        },
      });
    },
    onSuccess: async ({ data, message }, sent) => {
      queryClient.setQueryData(["variables", "one", data.id], data);
      void queryClient.invalidateQueries({ queryKey: ["variables", "list"] });
      notifications.show({ message });
      await onSaved(data, sent);
    },
  });
}
