import { Alert, Button, Code, CopyButton, Group, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { asClientError, sentenceOf } from "../services/api.ts";

const titles: Record<string, string> = {
  NOT_FOUND: "It is not there",
  FORBIDDEN: "You may not do this",
  UNREACHABLE: "Pawl can't be reached",
  STORE_UNAVAILABLE: "The database is away",
  OVERLOADED: "Pawl has its hands full",
  VALIDATION_FAILED: "Something in it is not right",
  INVALID_STATE: "Not possible just now",
  CONFLICT: "It clashes with something",
};

/** What went wrong, what to do, and the id that finds it in the log. */
export function Fault({ error, onRetry, title }: { error: unknown; onRetry?: () => void; title?: string }) {
  const fault = asClientError(error);
  const quiet = fault?.code === "NOT_FOUND" || fault?.code === "FORBIDDEN";
  const retry = quiet ? undefined : onRetry;
  return (
    <Alert
      // Nothing broke, and trying again changes nothing.
      color={quiet ? "gray" : "red"}
      variant="light"
      radius="lg"
      icon={<IconAlertTriangle size={20} />}
      title={title ?? titles[fault?.code ?? ""] ?? "That did not work"}
      role="alert"
    >
      <Stack gap="xs">
        <Text size="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
          {sentenceOf(error)}
        </Text>
        <FaultDetails error={error} />
        {(retry || fault?.requestId) && (
          <Group gap="sm">
            {retry && (
              <Button size="xs" variant="default" onClick={retry}>
                Try again
              </Button>
            )}
            {fault?.requestId && (
              <CopyButton value={fault.requestId}>
                {({ copied, copy }) => (
                  <Button size="xs" variant="subtle" color="gray" onClick={copy}>
                    {copied ? "Copied" : `Request ${fault.requestId!.slice(0, 13)}…`}
                  </Button>
                )}
              </CopyButton>
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

/** The places and sentences of a refusal, where it has some. */
export function FaultDetails({ error }: { error: unknown }) {
  const details = asClientError(error)?.details ?? [];
  if (details.length === 0) return null;
  return (
    <List size="sm" spacing={2}>
      {details.slice(0, 12).map(({ path, message }) => (
        <List.Item key={`${path} ${message}`} style={{ overflowWrap: "anywhere" }}>
          {path && <Code>{path}</Code>} {message}
        </List.Item>
      ))}
      {details.length > 12 && <List.Item>and {details.length - 12} more</List.Item>}
    </List>
  );
}
