import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ConfirmAction } from "../../components/confirm-action.tsx";

interface DeleteButtonProps {
  /** "connection", "file", … */
  noun: string;
  name: string;
  says: ReactNode;
  run: () => Promise<unknown>;
  /** First word of the keys of what is read of its kind. */
  queryNoun: string;
  /** Leads away from the page of what is gone. */
  leave: () => Promise<unknown>;
}

/** Deletes a record once it is confirmed, and leaves its page. */
export function DeleteButton({ noun, name, says, run, queryNoun, leave }: DeleteButtonProps) {
  const queryClient = useQueryClient();
  return (
    <ConfirmAction
      title={`Delete ${short(name)}?`}
      says={says}
      label={`Delete the ${noun}`}
      danger
      run={async () => {
        await run();
        await leave();
        queryClient.removeQueries({ queryKey: [queryNoun, "one"] });
        void queryClient.invalidateQueries({ queryKey: [queryNoun] });
        notifications.show({ message: `${short(name)} is deleted.` });
      }}
    >
      {(ask) => (
        <Button variant="default" leftSection={<IconTrash size={16} />} onClick={ask}>
          Delete
        </Button>
      )}
    </ConfirmAction>
  );
}

/** A name as it fits into a sentence. */
export function short(name: string): string {
  return name.length > 60 ? `${name.slice(0, 57)}…` : name;
}
