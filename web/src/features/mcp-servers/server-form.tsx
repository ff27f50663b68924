import type { McpServer, McpServerInput } from "@contract/mcp-server.ts";
import { Stack, TagsInput, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DescriptionField } from "../../components/description-field.tsx";
import { SaveButtons } from "../../components/save-buttons.tsx";
import { api } from "../../services/api.ts";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";
import { LeaveGuard } from "../jobs/editor/leave-guard.tsx";
import { type AuthDraft, authConfigOf, authDraftOf, keepsCredentials } from "./auth-draft.ts";
import { AuthFields } from "./auth-fields.tsx";

interface Draft extends AuthDraft {
  name: string;
  url: string;
  description: string;
  tags: string[];
}

function draftOf(server?: McpServer): Draft {
  const { name = "", url = "", description = "", tags = [] } = server ?? {};
  return { ...authDraftOf(server), name, url, description, tags };
}

function inputOf(draft: Draft, server: McpServer | undefined): McpServerInput {
  const { name, url, description, tags, authType } = draft;
  return { name, url, description, tags, authType, authConfig: authConfigOf(draft, server) };
}

/** Address and credentials of an MCP server. Saving asks nothing of the server. */
export function ServerForm({
  server,
  onSaved,
  readOnly = false,
}: {
  server?: McpServer;
  onSaved?: (server: McpServer) => unknown;
  readOnly?: boolean;
}) {
  const [draft, setDraft] = useState(() => draftOf(server));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const save = useSave(server, (saved) => {
    setDraft(draftOf(saved));
    return onSaved?.(saved);
  });
  const dirty = JSON.stringify(inputOf(draft, server)) !== JSON.stringify(inputOf(draftOf(server), server));
  const shown = (path: string) =>
    ["/name", "/url", "/description", "/tags"].includes(path) || path.startsWith("/authConfig");
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft);
      }}
    >
      <LeaveGuard isDirty={() => dirty && !save.isPending} />
      <Stack gap="md">
        <FormFault error={save.error} shown={shown} />
        <TextInput
          label="Name"
          required
          maxLength={100}
          dir="auto"
          autoFocus={!server}
          disabled={readOnly}
          value={draft.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          error={faultAt(save.error, "/name")}
        />
        <TextInput
          label="URL"
          description="Where the server takes Streamable HTTP."
          placeholder="https://mcp.example.org/mcp"
          type="url"
          required
          maxLength={2048}
          spellCheck={false}
          disabled={readOnly}
          value={draft.url}
          onChange={({ currentTarget }) => set({ url: currentTarget.value })}
          error={faultAt(save.error, "/url")}
        />
        <DescriptionField
          disabled={readOnly}
          value={draft.description}
          onChange={(description) => set({ description })}
          error={faultAt(save.error, "/description")}
        />
        <TagsInput
          label="Tags"
          placeholder={draft.tags.length === 0 ? "Enter after each" : ""}
          maxTags={50}
          disabled={readOnly}
          value={draft.tags}
          onChange={(tags) => set({ tags })}
          error={faultAt(save.error, "/tags")}
        />
        <AuthFields
          draft={draft}
          onChange={set}
          server={server}
          keeps={keepsCredentials(server, draft, draft.url)}
          faultOf={(place) => faultAt(save.error, `/authConfig${place}`)}
          disabled={readOnly}
        />
        {!readOnly && (
          <SaveButtons
            make="Register"
            isNew={!server}
            dirty={dirty}
            saving={save.isPending}
            onUndo={() => {
              setDraft(draftOf(server));
              save.reset();
            }}
          />
        )}
      </Stack>
    </form>
  );
}

function useSave(server: McpServer | undefined, onSaved: (saved: McpServer) => unknown) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (draft: Draft) => {
      const body = inputOf(draft, server);
      return server
        ? api.replaceMcpServer({ params: { id: server.id }, body })
        : api.registerMcpServer({ body });
    },
    onSuccess: async ({ data, message }) => {
      queryClient.setQueryData(["mcp-servers", "one", data.id], data);
      void queryClient.invalidateQueries({ queryKey: ["mcp-servers", "list"] });
      notifications.show({ message });
      await onSaved(data);
    },
  });
}
