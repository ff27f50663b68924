import { FileButton, Text } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";
import { type DragEvent, useRef, useState } from "react";
import classes from "./file-drop.module.css";

interface FileDropProps {
  /** What to drop, as a sentence. */
  says: string;
  /** What of it is taken. */
  about?: string;
  accept?: string;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
}

/** A place to drop files on, or to choose them at. */
export function FileDrop({ says, about, accept, multiple = false, onFiles }: FileDropProps) {
  const [over, setOver] = useState(false);
  // Moving over what is inside leaves and enters again and again.
  const depth = useRef(0);
  const give = (files: File[]) => files.length > 0 && onFiles(multiple ? files : files.slice(0, 1));
  const move = (by: number) => {
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  };
  return (
    <FileButton
      multiple
      accept={accept ?? ""}
      onChange={(chosen: File | File[] | null) => give([chosen ?? []].flat())}
    >
      {(props) => (
        <button
          type="button"
          className={classes.drop}
          data-over={over || undefined}
          onDragEnter={() => move(1)}
          onDragLeave={() => move(-1)}
          onDragOver={(event: DragEvent) => event.preventDefault()}
          onDrop={(event: DragEvent) => {
            event.preventDefault();
            move(-depth.current);
            give([...event.dataTransfer.files]);
          }}
          {...props}
        >
          <IconUpload size={22} stroke={1.6} aria-hidden />
          <Text span size="sm" fw={550}>
            {says}
          </Text>
          {about && (
            <Text span size="xs" c="dimmed">
              {about}
            </Text>
          )}
        </button>
      )}
    </FileButton>
  );
}
