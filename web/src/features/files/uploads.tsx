import { ActionIcon, Anchor, Button, Group, Paper, Progress, Stack, Text } from "@mantine/core";
import { IconCircleCheckFilled, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { sentenceOf } from "../../services/api.ts";
import { formatSize } from "../configuration/size.ts";
import type { Upload, Uploads } from "./use-uploads.ts";

/** The files that are being uploaded, how far each is, and what became of it. */
export function UploadList({ uploads }: { uploads: Uploads }) {
  if (uploads.all.length === 0) return null;
  return (
    <Paper p="sm" component="section" aria-label="Uploads">
      <Stack gap="xs">
        {uploads.all.map((upload) => (
          <UploadRow key={upload.key} upload={upload} uploads={uploads} />
        ))}
      </Stack>
    </Paper>
  );
}

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const { key, file, state } = upload;
  return (
    <div>
      <Group gap="sm" wrap="nowrap">
        <Text size="sm" className="clip" flex={1} dir="auto">
          {state.kind === "done" ? (
            <Anchor
              component={Link}
              to="/files/$fileId"
              params={{ fileId: state.stored.id } as never}
              inherit
            >
              {state.stored.name}
            </Anchor>
          ) : (
            file.name
          )}
        </Text>
        <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          {state.kind === "sending"
            ? `${Math.floor(state.share * 100)} % of ${formatSize(file.size)}`
            : formatSize(file.size)}
        </Text>
        {state.kind === "done" && (
          <IconCircleCheckFilled size={18} style={{ color: "var(--st-green)" }} aria-label="Uploaded" />
        )}
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label={
            state.kind === "sending"
              ? `Cancel the upload of ${file.name.slice(0, 60)}`
              : `Take ${file.name.slice(0, 60)} from this list`
          }
          onClick={() => uploads.drop(key)}
        >
          <IconX size={15} />
        </ActionIcon>
      </Group>
      {state.kind === "sending" && (
        <Progress
          size="sm"
          mt={4}
          value={state.share * 100}
          animated={state.share === 1}
          aria-label={`Upload of ${file.name.slice(0, 60)}`}
        />
      )}
      {state.kind === "taken" && (
        <Group gap="xs" mt={2} role="alert">
          <Text size="xs" c="var(--st-amber)">
            There is a file of this name already.
          </Text>
          <Button size="compact-xs" variant="light" onClick={() => uploads.replace(key)}>
            Replace it
          </Button>
        </Group>
      )}
      {state.kind === "failed" && (
        <Group gap="xs" mt={2} role="alert">
          <Text size="xs" c="var(--st-red)" className="any-text">
            {sentenceOf(state.error)}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => uploads.again(key)}>
            Try again
          </Button>
        </Group>
      )}
    </div>
  );
}
