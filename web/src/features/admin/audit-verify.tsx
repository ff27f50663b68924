import type { AuditVerdict } from "@contract/audit.ts";
import { Button, List, Modal, Stack, Text } from "@mantine/core";
import { IconShieldCheck } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Fault } from "../../components/fault.tsx";
import { api } from "../../services/api.ts";
import { CopyText } from "../configuration/copy-text.tsx";
import { Notice } from "../configuration/notice.tsx";

/** Whether the record is as it was written: each line holds the hash of the one before. */
export function VerifyAudit() {
  const verify = useMutation({ mutationFn: async () => (await api.verifyAudit({ body: {} })).data });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShieldCheck size={16} />}
        loading={verify.isPending}
        onClick={() => verify.mutate()}
      >
        Verify
      </Button>
      <Modal
        opened={verify.isSuccess || verify.isError}
        onClose={verify.reset}
        title="Is the record as it was written?"
      >
        {verify.error ? (
          <Fault error={verify.error} onRetry={() => verify.mutate()} />
        ) : (
          verify.data && <Verdict verdict={verify.data} />
        )}
      </Modal>
    </>
  );
}

function Verdict({ verdict: { intact, entries, head, faults, more } }: { verdict: AuditVerdict }) {
  return (
    <Stack gap="md">
      <Notice tone={intact ? "green" : "red"}>
        {intact
          ? `Yes: all ${entries.toLocaleString()} lines are, and none is missing.`
          : "No: lines were altered, put in or taken out."}
      </Notice>
      {!intact && (
        <List size="sm">
          {faults.map(({ seq, message }) => (
            <List.Item key={`${seq} ${message}`}>
              Line {seq}: {message}
            </List.Item>
          ))}
          {more > 0 && <List.Item>and {more} more</List.Item>}
        </List>
      )}
      <div>
        <Text size="sm" mb={4}>
          Note the head elsewhere. `pawl audit verify` with it later tells whether the end was cut off since.
        </Text>
        <CopyText text={`${head.seq}:${head.hash}`} />
      </div>
    </Stack>
  );
}
