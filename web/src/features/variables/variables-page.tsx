import type { VariableItem } from "@contract/variable.ts";
import { Button, Code } from "@mantine/core";
import { IconLock, IconPlus, IconVariable } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { type Column, rowLink } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import { RecordTable } from "../configuration/record-table.tsx";
import { variableSource } from "./queries.ts";

const route = getRouteApi("/frame/variables");

const fields: FilterField[] = [
  { name: "name", label: "Name", kind: "text" },
  { name: "description", label: "Description", kind: "text" },
  { name: "updatedAt", label: "Changed", kind: "time" },
  { name: "updatedBy", label: "Changed by", kind: "text" },
];

const columns: Column<VariableItem>[] = [
  {
    id: "name",
    header: "Name",
    width: "34%",
    sort: "name",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/variables/$variableId" params={{ variableId: id }}>
        <span className="mono">{name}</span>
      </Link>
    ),
  },
  {
    id: "description",
    header: "Description",
    phone: "meta",
    cell: ({ description }) => <span dir="auto">{description}</span>,
  },
  {
    id: "kind",
    header: "Kind",
    width: "110px",
    sort: "secret",
    phone: "aside",
    cell: ({ secret }) => <Kind secret={secret} />,
  },
  {
    id: "updated",
    header: "Changed",
    width: "130px",
    sort: "updatedAt",
    sortFirst: "desc",
    cell: ({ updatedAt }) => <TimeText at={updatedAt} />,
  },
];

function Kind({ secret }: { secret: boolean }) {
  if (!secret) return "plain";
  return (
    <span style={{ display: "inline-flex", alignItems: "center", gap: 5 }}>
      <IconLock size={14} aria-hidden /> secret
    </span>
  );
}

/** Values that the expressions of all jobs share. */
export function VariablesPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const may = useCan()("ConfigService:GlobalVariable:upsert");
  const add = may && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/variables/new" {...props} />}
    >
      New variable
    </Button>
  );
  return (
    <Page
      title="Global variables"
      about={
        <>
          Values that all jobs share: expressions say <Code>vars.NAME</Code>. Secret ones are sealed.
        </>
      }
      actions={add}
    >
      <RecordTable
        label="Global variables"
        search="Search variables by name or description"
        icon={IconVariable}
        state={state}
        onChange={(next) => void navigate({ search: next, replace: true })}
        fields={fields}
        columns={columns}
        source={variableSource}
        sort="name"
        rowKey={({ id }) => id}
        none={{
          title: "No global variables yet",
          says: may
            ? "What several jobs need the same of, such as an address or a rate, belongs here: it is changed once for all of them."
            : "As soon as somebody makes one, it shows up here.",
          action: add,
        }}
      />
    </Page>
  );
}
