import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  /** What the button of a record that is not there yet says: "Make the variable". */
  make: string;
  isNew: boolean;
  /** Something differs from what is kept. */
  dirty: boolean;
  /** A new record has all that it needs. */
  ready?: boolean;
  saving: boolean;
  onUndo: () => void;
  /** Other actions on the draft. */
  children?: ReactNode;
}

/** The end of a record's form: saves it, and takes back what was changed. */
export function SaveButtons({ make, isNew, dirty, ready = true, saving, onUndo, children }: Props) {
  return (
    <Group gap="sm">
      <Button type="submit" loading={saving} disabled={!ready || (!isNew && !dirty)}>
        {isNew ? make : "Save"}
      </Button>
      {children}
      {!isNew && dirty && (
        <Button variant="subtle" color="gray" onClick={onUndo}>
          Undo the changes
        </Button>
      )}
    </Group>
  );
}
