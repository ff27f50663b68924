import type { Dataset } from "@contract/dataset.ts";
import { Button, Group, Paper, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DescriptionField } from "../../components/description-field.tsx";
import { api } from "../../services/api.ts";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";

/** Another name or description for a dataset; its rows stay. */
export function RenameForm({ dataset }: { dataset: Dataset }) {
  const [name, setName] = useState(dataset.name);
  const [description, setDescription] = useState(dataset.description);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      api.upsertDataset({
        query: { expectedVersion: dataset.version },
        body: { id: dataset.id, name, description },
      }),
    onSuccess: ({ data, message }) => {
      queryClient.setQueryData(["datasets", "one", data.id], data);
      void queryClient.invalidateQueries({ queryKey: ["datasets", "list"] });
      notifications.show({ message });
    },
  });
  const dirty = name !== dataset.name || description !== dataset.description;
  return (
    <Paper p="lg">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack gap="md">
          <FormFault error={save.error} shown={(path) => path === "/name" || path === "/description"} />
          <TextInput
            label="Name"
            required
            maxLength={200}
            dir="auto"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={faultAt(save.error, "/name")}
          />
          <DescriptionField
            value={description}
            onChange={setDescription}
            error={faultAt(save.error, "/description")}
          />
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!dirty}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
