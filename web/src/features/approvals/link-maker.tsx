import type { ApprovalLinks } from "@contract/control.ts";
import { Button, CopyButton, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconLink } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { api } from "../../services/api.ts";

const terms = [
  { value: "24", label: "for a day" },
  { value: "168", label: "for a week" },
  { value: "720", label: "for 30 days" },
];

/** Makes the links by which somebody without an account decides. */
export function LinkMaker({ executionId }: { executionId: string }) {
  const [opened, setOpened] = useState(false);
  const [hours, setHours] = useState("168");
  const make = useMutation({
    mutationFn: async () => {
      const body = { expiresInHours: Number(hours) };
      return (await api.createApprovalLinks({ params: { id: executionId }, body })).data;
    },
  });
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconLink size={15} />}
        onClick={() => {
          make.reset();
          setOpened(true);
        }}
      >
        Make links to decide …
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Links that decide">
        {make.data ? (
          <Made links={make.data} />
        ) : (
          <Stack gap="md">
            <Text size="sm">
              Two links are made, one to approve and one to reject. Whoever has one may decide with it, once,
              in your name. Send them only to whom you would let decide.
            </Text>
            <Select
              label="They serve"
              data={terms}
              value={hours}
              onChange={(value) => setHours(value ?? "168")}
              allowDeselect={false}
            />
            {make.error && <Fault error={make.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setOpened(false)}>
                Leave it
              </Button>
              <Button onClick={() => make.mutate()} loading={make.isPending}>
                Make the links
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}

function Made({ links }: { links: ApprovalLinks }) {
  return (
    <Stack gap="md">
      <OneLink label="To approve" url={links.approveUrl} />
      <OneLink label="To reject" url={links.rejectUrl} />
      <Text size="sm" c="dimmed">
        They serve until <TimeText at={links.expiresAt} />, and are not shown again.
      </Text>
    </Stack>
  );
}

function OneLink({ label, url }: { label: string; url: string }) {
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        label={label}
        value={url}
        readOnly
        style={{ flex: 1 }}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <CopyButton value={url}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy} aria-label={`Copy the link ${label.toLowerCase()}`}>
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
