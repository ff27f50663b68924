import type { Connection, ConnectionTypeInfo } from "@contract/connection.ts";
import { Button, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DescriptionField } from "../../components/description-field.tsx";
import { SaveButtons } from "../../components/save-buttons.tsx";
import { api, asClientError } from "../../services/api.ts";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";
import { keepSecret, type SecretChange, SecretInput } from "../configuration/secret-input.tsx";
import { LeaveGuard } from "../jobs/editor/leave-guard.tsx";
import { TestOutcome } from "./connection-test.tsx";
import {
  type ConnectionDraft,
  destinationChanged,
  draftOf,
  inputOf,
  isSealed,
  sealedExtras,
} from "./draft.ts";
import { ExtraVariables } from "./extra-variables.tsx";
import { VariableField } from "./variable-field.tsx";

interface ConnectionFormProps {
  type: ConnectionTypeInfo;
  /** The one to change; a new one is made when left out. */
  connection?: Connection;
  onSaved?: (connection: Connection) => unknown;
  readOnly?: boolean;
}

/** The form that a type's template asks for. */
export function ConnectionForm({ type, connection, onSaved, readOnly = false }: ConnectionFormProps) {
  const [draft, setDraft] = useState<ConnectionDraft>(() => draftOf(type, connection));
  const save = useSave(type, connection, (saved, sent) => {
    // What was typed meanwhile stays.
    setDraft((now) => (now === sent ? draftOf(type, saved) : now));
    return onSaved?.(saved);
  });
  const test = useMutation({
    mutationFn: async (now: ConnectionDraft) =>
      (await api.testConnectionInput({ body: inputOf(type, now, connection) })).data,
  });
  // What was last asked of the server has the last word.
  const error = save.error ?? test.error;
  const set = (change: Partial<ConnectionDraft>) => setDraft({ ...draft, ...change });
  const setSecret = (name: string, change: SecretChange) =>
    set({ secrets: { ...draft.secrets, [name]: change } });
  const moved = destinationChanged(type, draft, connection);
  const dirty =
    JSON.stringify(inputOf(type, draft, connection)) !==
    JSON.stringify(inputOf(type, draftOf(type, connection), connection));
  const faultOf = (name: string) =>
    faultAt(error, `/variables/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  const shown = (path: string) =>
    ["/name", "/description", "/category"].includes(path) ||
    type.fields.some(({ name }) => path === `/variables/${name}`) ||
    path.startsWith(`/variables/${type.extraPrefix}`);

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        test.reset();
        save.mutate(draft);
      }}
    >
      <LeaveGuard isDirty={() => dirty && !save.isPending} />
      <Stack gap="md">
        <FormFault error={error} shown={shown} />
        <TextInput
          label="Name"
          description="Steps and people know it by this."
          required
          maxLength={200}
          dir="auto"
          disabled={readOnly}
          autoFocus={!connection}
          value={draft.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          error={faultAt(error, "/name")}
        />
        <DescriptionField
          disabled={readOnly}
          value={draft.description}
          onChange={(description) => set({ description })}
          error={faultAt(error, "/description")}
        />
        {type.anyOfRequired.map((names) => (
          <Text key={names.join()} size="sm" c="dimmed">
            Needs {labelsOf(type, names).join(" or ")}.
          </Text>
        ))}
        {type.fields.map((field) => {
          if (!field.sensitive) {
            return (
              <VariableField
                key={field.name}
                field={field}
                value={draft.plain[field.name] ?? ""}
                onChange={(value) => set({ plain: { ...draft.plain, [field.name]: value } })}
                error={faultOf(field.name)}
                disabled={readOnly}
              />
            );
          }
          const own = type.destination.includes(field.name);
          return (
            <SecretInput
              key={field.name}
              label={field.label}
              help={field.help}
              required={field.required}
              multiline={field.kind === "multiline"}
              isSet={isSealed(connection?.variables[field.name])}
              mustReenter={moved && !own}
              change={draft.secrets[field.name] ?? keepSecret}
              onChange={(change) => setSecret(field.name, change)}
              error={faultOf(field.name)}
              disabled={readOnly}
            />
          );
        })}
        <ExtraVariables
          type={type}
          extras={draft.extras}
          sealed={sealedExtras(type, connection)}
          secrets={draft.secrets}
          mustReenter={moved}
          onExtras={(extras) => set({ extras })}
          onSecret={setSecret}
          faultOf={faultOf}
          readOnly={readOnly}
        />
        {!readOnly && (
          <SaveButtons
            make="Make the connection"
            isNew={!connection}
            dirty={dirty}
            saving={save.isPending}
            onUndo={() => {
              setDraft(draftOf(type, connection));
              save.reset();
              test.reset();
            }}
          >
            {(!connection || dirty) && (
              <Button
                variant="default"
                loading={test.isPending}
                onClick={() => {
                  save.reset();
                  test.mutate(draft);
                }}
              >
                Test before saving
              </Button>
            )}
          </SaveButtons>
        )}
        {!readOnly && test.data && !test.isPending && (
          <div ref={intoView}>
            <TestOutcome outcome={test.data} />
          </div>
        )}
      </Stack>
    </form>
  );
}

/** Below the buttons, so that they stay where they are, and what was asked for is seen all the same. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

function labelsOf({ fields }: ConnectionTypeInfo, names: string[]): string[] {
  return names.map((name) => fields.find((field) => field.name === name)?.label ?? name);
}

function useSave(
  type: ConnectionTypeInfo,
  connection: Connection | undefined,
  onSaved: (saved: Connection, sent: ConnectionDraft) => unknown,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (draft: ConnectionDraft) => {
      // An upsert by name would change the one that has it.
      if (!connection) await requireFreeName(draft.name, type);
      const query = connection ? { expectedVersion: connection.version } : {};
      return api.upsertConnection({ query, body: inputOf(type, draft, connection) });
    },
    onSuccess: async ({ data, message }, sent) => {
      queryClient.setQueryData(["connections", "one", data.id], data);
      void queryClient.invalidateQueries({ queryKey: ["connections", "list"] });
      notifications.show({ message });
      await onSaved(data, sent);
    },
    onError: (error) => {
      if (connection && asClientError(error)?.code === "CONFLICT") {
        void queryClient.invalidateQueries({ queryKey: ["connections", "one", connection.id] });
      }
    },
  });
}

async function requireFreeName(name: string, { connectionType, label }: ConnectionTypeInfo): Promise<void> {
  if (name === "") return;
  const { data } = await api.checkConnectionIdentity({ body: { name, connectionType } });
  if (data.isPresent) {
    throw new Error(
      `There is a connection of this name and type (${label}) already. Choose another name, or change that one.`,
    );
  }
}
