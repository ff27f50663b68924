import { Button, FileButton } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconUpload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { api, asClientError, sentenceOf } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";
import classes from "./import-jobs.module.css";

const accepted = ".yaml,.yml,.json";

/** Imports files, one job each: made anew, or as a new version of the job of that name. */
function useImport(): (files: File[]) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (files) => {
    const ids: string[] = [];
    for (const file of files) {
      try {
        const content = await file.text();
        // YAML reads JSON, too.
        const { data, message } = await api.importJob({ text: { type: "application/yaml", content } });
        ids.push(data.id);
        notifications.show({ color: "green.8", title: data.name, message });
      } catch (error) {
        const [first] = asClientError(error)?.details ?? [];
        const message = `${sentenceOf(error)}${first ? ` ${first.path} ${first.message}` : ""}`;
        notifications.show({
          color: "red.8",
          title: `${file.name} was not imported`,
          message,
          autoClose: false,
        });
      }
    }
    await queryClient.invalidateQueries({ queryKey: keys.jobs.all });
    if (files.length === 1 && ids[0]) await navigate({ to: "/jobs/$jobId", params: { jobId: ids[0] } });
  };
}

export function ImportButton() {
  const importAll = useImport();
  return (
    <FileButton multiple accept={accepted} onChange={(files) => void importAll(files)}>
      {(props) => (
        <Button variant="default" leftSection={<IconUpload size={16} />} {...props}>
          Import
        </Button>
      )}
    </FileButton>
  );
}

/** A place to drop exported jobs on. */
export function ImportDrop({ enabled, children }: { enabled: boolean; children: ReactNode }) {
  const importAll = useImport();
  const [over, setOver] = useState(false);
  // Moving over what is inside leaves and enters again and again.
  const depth = useRef(0);
  if (!enabled) return <div>{children}</div>;
  const withFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return (
    <section
      className={classes.drop}
      data-over={over || undefined}
      aria-label="Jobs; files with jobs can be dropped here"
      onDragEnter={(event) => {
        if (!withFiles(event)) return;
        depth.current++;
        setOver(true);
      }}
      onDragLeave={() => {
        depth.current = Math.max(0, depth.current - 1);
        if (depth.current === 0) setOver(false);
      }}
      onDragOver={(event) => withFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        void importAll([...event.dataTransfer.files]);
      }}
    >
      {children}
      {over && <div className={classes.veil}>Drop to import: one job a file, YAML or JSON</div>}
    </section>
  );
}
