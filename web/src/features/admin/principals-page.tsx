import type { PrincipalRecord } from "@contract/identity.ts";
import { Button } from "@mantine/core";
import { IconPlus, IconUsers } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Empty } from "../../components/empty.tsx";
import { Section } from "../../components/page.tsx";
import { type Column, DataTable, rowLink } from "../../components/table/data-table.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import { principalSource } from "./queries.ts";

/** What people read for a kind. */
export const kindWords: Record<PrincipalRecord["kind"], string> = { user: "Person", service: "Program" };

const columns: Column<PrincipalRecord>[] = [
  {
    id: "name",
    header: "Name",
    width: "24%",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/admin/principals/$principalId" params={{ principalId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  { id: "kind", header: "Kind", width: "100px", phone: "aside", cell: ({ kind }) => kindWords[kind] },
  {
    id: "may",
    header: "May",
    phone: "meta",
    cell: ({ authorities }) => <span title={authorities.join("\n")}>{summaryOf(authorities)}</span>,
  },
  { id: "jobs", header: "Jobs", width: "16%", cell: ({ jobs }) => (jobs === null ? "all" : "limited") },
  { id: "created", header: "Created", width: "140px", cell: ({ createdAt }) => <TimeText at={createdAt} /> },
];

function summaryOf(authorities: string[]): string {
  if (authorities.includes("*:*:*")) return "everything";
  if (authorities.length === 0) return "nothing";
  const shown = authorities.slice(0, 2).map((one) => one.split(":").slice(1).join(":"));
  return authorities.length > 2 ? `${shown.join(", ")} and ${authorities.length - 2} more` : shown.join(", ");
}

/** Who may do what: people, and services. */
export function PrincipalsPage() {
  const may = useCan()("IdentityService:Principal:upsert");
  const add = may && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/admin/principals/new" {...props} />}
    >
      New principal
    </Button>
  );
  return (
    <Section title="Principals" actions={add}>
      <DataTable
        label="Principals"
        source={principalSource}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <Empty icon={<IconUsers size={34} stroke={1.4} />} title="Nobody yet" action={add}>
            Make a principal for everyone, and every program, that comes in.
          </Empty>
        }
      />
    </Section>
  );
}
