import type { AuditRecord } from "@contract/audit.ts";
import { Drawer, UnstyledButton } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { Section } from "../../components/page.tsx";
import { type Column, rowLink } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { TimeText } from "../../components/time-text.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { type Fact, Facts } from "../configuration/facts.tsx";
import { RecordTable } from "../configuration/record-table.tsx";
import { type Tone, ToneBadge } from "../configuration/tone-badge.tsx";
import { VerifyAudit } from "./audit-verify.tsx";
import { auditSource } from "./queries.ts";

const route = getRouteApi("/frame/admin/audit");

const outcomes: Record<AuditRecord["outcome"], { label: string; tone: Tone }> = {
  success: { label: "Done", tone: "green" },
  forbidden: { label: "Forbidden", tone: "red" },
  failed: { label: "Refused", tone: "amber" },
};

const fields: FilterField[] = [
  { name: "principal", label: "Who", kind: "text" },
  { name: "action", label: "Action", kind: "text" },
  { name: "targetType", label: "Kind of record", kind: "text" },
  { name: "targetName", label: "Record", kind: "text" },
  { name: "targetId", label: "Record id", kind: "id" },
  { name: "at", label: "When", kind: "time" },
  {
    name: "outcome",
    label: "Outcome",
    kind: "choice",
    options: Object.entries(outcomes).map(([value, { label }]) => ({ value, label })),
  },
  { name: "ip", label: "Address", kind: "text" },
  { name: "client", label: "Client", kind: "text" },
  { name: "requestId", label: "Request id", kind: "id" },
];

function columnsWith(open: (record: AuditRecord) => void): Column<AuditRecord>[] {
  return [
    {
      id: "action",
      header: "Action",
      sort: "action",
      phone: "title",
      cell: (record) => (
        <UnstyledButton className={rowLink} fz="sm" onClick={() => open(record)} aria-haspopup="dialog">
          {wordsOf(record.action)}
        </UnstyledButton>
      ),
    },
    {
      id: "record",
      header: "Record",
      width: "28%",
      sort: "targetName",
      phone: "meta",
      cell: ({ targetName, targetId, targetType }) => (
        <span dir="auto" title={targetType}>
          {targetName ?? targetId ?? targetType}
        </span>
      ),
    },
    {
      id: "who",
      header: "Who",
      width: "18%",
      sort: "principal",
      phone: "meta",
      cell: ({ principal }) => <span dir="auto">{principal}</span>,
    },
    {
      id: "at",
      header: "When",
      width: "140px",
      sort: "at",
      sortFirst: "desc",
      phone: "meta",
      cell: ({ at }) => <TimeText at={at} />,
    },
    {
      id: "outcome",
      header: "Outcome",
      width: "120px",
      sort: "outcome",
      phone: "aside",
      cell: ({ outcome }) => <ToneBadge {...outcomes[outcome]} />,
    },
  ];
}

/** Who did what to which record when, and from where; never what it held. */
export function AuditPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const [shown, setShown] = useState<AuditRecord>();
  const columns = useMemo(() => columnsWith(setShown), []);
  return (
    <Section title="Audit" actions={<VerifyAudit />}>
      <RecordTable
        label="Audit record"
        search="Search by record, action or who"
        icon={IconHistory}
        state={state}
        onChange={(next) => void navigate({ search: next, replace: true })}
        fields={fields}
        columns={columns}
        source={auditSource}
        sort="-seq"
        rowKey={({ id }) => id}
        none={{
          title: "Nothing is recorded yet",
          says: "As soon as somebody changes something, it shows up here.",
        }}
      />
      <Drawer
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        position="right"
        title={shown && wordsOf(shown.action)}
        size="md"
      >
        {shown && <Facts facts={factsOf(shown)} />}
      </Drawer>
    </Section>
  );
}

function factsOf(record: AuditRecord): Fact[] {
  return [
    ["Outcome", outcomes[record.outcome].label],
    ["When", <TimeText key="at" at={record.at} />],
    ["Who", record.principal],
    ["Kind", record.targetType],
    ["Record", record.targetName ?? "–"],
    ...(record.targetId ? [["Record id", <CopyText key="target" text={record.targetId} />] as Fact] : []),
    ["Changed", record.changed.join(", ") || "–"],
    ["From", record.ip ?? "–"],
    ["Client", record.client ?? "–"],
    ["Token", record.tokenId ? <CopyText key="token" text={record.tokenId} /> : "–"],
    ["Request", record.requestId ? <CopyText key="request" text={record.requestId} /> : "–"],
    [
      "Operation",
      <span key="action" className="mono">
        {record.action}
      </span>,
    ],
    ["Place", record.seq],
  ];
}

/** upsertConnection: Save connection. */
function wordsOf(action: string): string {
  const words = action
    .replace(/^upsert/, "save")
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^./, (letter) => letter.toUpperCase());
}
