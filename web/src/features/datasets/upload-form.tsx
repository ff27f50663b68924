import type { Dataset } from "@contract/dataset.ts";
import {
  Button,
  Collapse,
  Group,
  NativeSelect,
  Progress,
  Stack,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFile } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { DescriptionField } from "../../components/description-field.tsx";
import { FileDrop } from "../configuration/file-drop.tsx";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";
import { formatSize } from "../configuration/size.ts";
import { upload } from "../configuration/upload.ts";
import { accepted, baseName, type TableFile, tableFileOf } from "./table-file.ts";

interface Draft {
  name: string;
  description: string;
  delimiter: string;
  header: boolean;
}

/** Uploads a table: as a new dataset, or in the place of all rows of one. */
export function UploadForm({
  dataset,
  onSaved,
}: {
  dataset?: Dataset;
  onSaved: (dataset: Dataset) => unknown;
}) {
  const [chosen, setChosen] = useState<TableFile>();
  const [draft, setDraft] = useState<Draft>({
    name: dataset?.name ?? "",
    description: "",
    delimiter: "",
    header: true,
  });
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const { send, share, cancel } = useUpload(dataset, onSaved);
  const choose = ([file]: File[]) => {
    if (!file) return;
    const next = tableFileOf(file);
    send.reset();
    setChosen(next);
    set({ delimiter: next.delimiter ?? "", ...(draft.name === "" ? { name: baseName(file) } : {}) });
  };
  const isCsv = chosen?.type === "text/csv";
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen) send.mutate({ chosen, draft });
      }}
    >
      <Stack gap="md">
        <FormFault
          error={send.error}
          shown={(path) => path === "query/name" || path === "query/description"}
        />
        <FileDrop
          says={chosen ? "Choose another file" : "Drop a file here, or choose one"}
          about="CSV, JSON (a list of objects) or a JSON object a line; 32 MiB and 100,000 rows at most"
          accept={accepted}
          onFiles={choose}
        />
        {chosen && (
          <Group gap="xs" wrap="nowrap">
            <IconFile size={18} stroke={1.6} aria-hidden />
            <Text size="sm" className="clip" dir="auto">
              {chosen.file.name}
            </Text>
            <Text size="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
              {formatSize(chosen.file.size)}
            </Text>
          </Group>
        )}
        {!dataset && (
          <>
            <TextInput
              label="Name"
              required
              maxLength={200}
              dir="auto"
              value={draft.name}
              onChange={({ currentTarget }) => set({ name: currentTarget.value })}
              error={faultAt(send.error, "query/name")}
            />
            <DescriptionField
              value={draft.description}
              onChange={(description) => set({ description })}
              error={faultAt(send.error, "query/description")}
            />
          </>
        )}
        <Collapse expanded={isCsv}>
          <Stack gap="md">
            <NativeSelect
              label="Between the cells"
              maw={300}
              data={[
                { value: "", label: "Whichever the first line has most of" },
                { value: "comma", label: "Comma" },
                { value: "semicolon", label: "Semicolon" },
                { value: "tab", label: "Tab" },
                { value: "pipe", label: "Pipe |" },
              ]}
              value={draft.delimiter}
              onChange={({ currentTarget }) => set({ delimiter: currentTarget.value })}
            />
            <Switch
              label="The first line names the columns"
              checked={draft.header}
              onChange={({ currentTarget }) => set({ header: currentTarget.checked })}
            />
          </Stack>
        </Collapse>
        {send.isPending && (
          <div>
            <Progress value={share * 100} animated={share === 1} aria-label="Upload" />
            <Text size="xs" c="dimmed" mt={4} aria-live="polite">
              {share < 1 ? `${Math.floor(share * 100)} % is sent` : "All is sent; Pawl reads it now …"}
            </Text>
          </div>
        )}
        <Group gap="sm">
          <Button type="submit" disabled={!chosen} loading={send.isPending}>
            {dataset ? "Replace all rows" : "Upload"}
          </Button>
          {send.isPending && (
            <Button variant="subtle" color="gray" onClick={cancel}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

function useUpload(dataset: Dataset | undefined, onSaved: (dataset: Dataset) => unknown) {
  const queryClient = useQueryClient();
  const [share, setShare] = useState(0);
  const ending = useRef<AbortController>(null);
  const send = useMutation({
    mutationFn: ({ chosen, draft }: { chosen: TableFile; draft: Draft }) => {
      setShare(0);
      ending.current = new AbortController();
      const { delimiter, header } = draft;
      return upload<Dataset>("uploadDataset", {
        query: {
          name: draft.name,
          ...(draft.description ? { description: draft.description } : {}),
          ...(chosen.type === "text/csv" ? { header, delimiter: delimiter || undefined } : {}),
          ...(dataset ? { onExisting: "replace", expectedVersion: dataset.version } : { onExisting: "fail" }),
        },
        type: chosen.type,
        content: chosen.file,
        onProgress: setShare,
        signal: ending.current.signal,
      });
    },
    onSuccess: async (saved) => {
      queryClient.setQueryData(["datasets", "one", saved.id], saved);
      void queryClient.invalidateQueries({ queryKey: ["datasets", "list"] });
      notifications.show({
        message: `${saved.rowCount.toLocaleString()} rows in ${saved.columns.length} columns are there.`,
      });
      await onSaved(saved);
    },
  });
  return {
    send,
    share,
    cancel: () => ending.current?.abort(new Error("You ended the upload. Nothing is changed.")),
  };
}
