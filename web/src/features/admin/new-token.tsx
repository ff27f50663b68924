import { type McpScope, mcpScopes } from "@contract/bridge.ts";
import type { CreatedToken, TokenInput } from "@contract/identity.ts";
import {
  Button,
  Checkbox,
  CopyButton,
  Group,
  Modal,
  NativeSelect,
  Radio,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCopy } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CodeBlock } from "../../components/code-block.tsx";
import { api } from "../../services/api.ts";
import { useCan, useMe } from "../../services/session.tsx";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";
import { Notice } from "../configuration/notice.tsx";
import { Snippets } from "../mcp-servers/snippets.tsx";
import { principalChoices } from "./queries.ts";

const scopeWords: Record<McpScope, string> = {
  "jobs:read": "See jobs and how their executions go",
  "jobs:run": "Start jobs",
  "jobs:control": "Pause, resume and stop executions",
};

const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
  { value: "", label: "Never" },
];

/** Makes a token, and shows it this once. */
export function NewToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<CreatedToken>();
  const close = () => {
    onClose();
    setMade(undefined);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? "The token, shown this once" : "New token"}
      size="lg"
      // A click beside it must not lose what is never shown again.
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? <Made token={made} onClose={close} /> : <TokenForm onMade={setMade} onClose={close} />}
    </Modal>
  );
}

function TokenForm({ onMade, onClose }: { onMade: (token: CreatedToken) => void; onClose: () => void }) {
  const me = useMe();
  const mayChoose = useCan()("IdentityService:Principal:read");
  const principals = useQuery({ ...principalChoices, enabled: mayChoose });
  const queryClient = useQueryClient();
  const [input, setInput] = useState<{
    principalId: string;
    name: string;
    for: "api" | "mcp";
    days: string;
    scopes: McpScope[];
  }>({
    principalId: me.id,
    name: "",
    for: "api",
    days: "90",
    scopes: ["jobs:read", "jobs:run"],
  });
  const set = (change: Partial<typeof input>) => setInput({ ...input, ...change });
  const make = useMutation({
    mutationFn: async () => {
      const { days, scopes, ...rest } = input;
      const body: TokenInput = {
        ...rest,
        ...(days ? { expiresInDays: Number(days) } : {}),
        ...(rest.for === "mcp" ? { scopes } : {}),
      };
      return (await api.createToken({ body })).data;
    },
    onSuccess: (token) => {
      void queryClient.invalidateQueries({ queryKey: ["tokens"] });
      onMade(token);
    },
  });
  const choices = principals.data ?? [{ id: me.id, name: me.name }];
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <Stack gap="md">
        <FormFault error={make.error} shown={(path) => ["/name", "/principalId", "/scopes"].includes(path)} />
        <TextInput
          label="Name"
          description="What it is for: the audit record shows it."
          required
          maxLength={100}
          data-autofocus
          dir="auto"
          value={input.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          error={faultAt(make.error, "/name")}
        />
        <Select
          label="Acts as"
          description="It may do what this principal may, and never more."
          required
          searchable={choices.length > 6}
          allowDeselect={false}
          data={choices.map(({ id, name }) => ({ value: id, label: name }))}
          value={input.principalId}
          onChange={(principalId) => principalId && set({ principalId })}
          error={faultAt(make.error, "/principalId")}
        />
        <Radio.Group label="For" value={input.for} onChange={(use) => set({ for: use as "api" | "mcp" })}>
          <Stack gap="xs" mt={4}>
            <Radio
              value="api"
              label="The API"
              description="Programs, the pawl command, and signing in here."
            />
            <Radio
              value="mcp"
              label="An assistant (MCP)"
              description="At /mcp only, within the scopes below."
            />
          </Stack>
        </Radio.Group>
        {input.for === "mcp" && (
          <Checkbox.Group
            label="Scopes"
            value={input.scopes}
            onChange={(scopes) => set({ scopes: scopes as McpScope[] })}
            error={faultAt(make.error, "/scopes")}
          >
            <Stack gap={6} mt={4}>
              {mcpScopes.map((scope) => (
                <Checkbox key={scope} value={scope} label={scopeWords[scope]} description={scope} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <NativeSelect
          label="Expires after"
          maw={200}
          data={lifetimes}
          value={input.days}
          onChange={({ currentTarget }) => set({ days: currentTarget.value })}
        />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          <Button type="submit" loading={make.isPending}>
            Make the token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Made({ token, onClose }: { token: CreatedToken; onClose: () => void }) {
  return (
    <Stack gap="md">
      <Notice tone="amber" icon={IconAlertTriangle}>
        Copy it now: Pawl keeps only its hash and can't show it again. Whoever has it acts as{" "}
        {token.principalName}.
      </Notice>
      <CodeBlock text={token.token} label="Token" />
      <Group gap="sm">
        <CopyButton value={token.token}>
          {({ copied, copy }) => (
            <Button
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={copy}
              data-autofocus
            >
              {copied ? "Copied" : "Copy the token"}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
      </Group>
      {token.for === "mcp" && (
        <>
          <Text size="sm" fw={600}>
            For an assistant's configuration
          </Text>
          <Snippets token={token.token} />
        </>
      )}
    </Stack>
  );
}
