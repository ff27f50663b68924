import { type ConnectionItem, connectionTypes } from "@contract/connection.ts";
import { Button, Group } from "@mantine/core";
import { IconPlugConnected, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { type Column, rowLink } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { useCan } from "../../services/session.tsx";
import { RecordTable } from "../configuration/record-table.tsx";
import { categoryWord } from "./category-word.ts";
import { connectionSource, connectionTypesQuery } from "./queries.ts";
import { TypeIcon } from "./type-icon.tsx";

const route = getRouteApi("/frame/connections");

function useFields(): FilterField[] {
  const { data: types = [] } = useQuery(connectionTypesQuery);
  const labels = new Map(types.map(({ connectionType, label }) => [connectionType, label]));
  return [
    { name: "name", label: "Name", kind: "text" },
    {
      name: "connectionType",
      label: "Type",
      kind: "choice",
      options: connectionTypes.map((value) => ({ value, label: labels.get(value) ?? value })),
    },
    { name: "category", label: "Category", kind: "text" },
    { name: "description", label: "Description", kind: "text" },
    { name: "updatedAt", label: "Changed", kind: "time" },
    { name: "updatedBy", label: "Changed by", kind: "text" },
  ];
}

const columns: Column<ConnectionItem>[] = [
  {
    id: "name",
    header: "Name",
    sort: "name",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/connections/$connectionId" params={{ connectionId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: "type",
    header: "Type",
    width: "34%",
    sort: "connectionType",
    phone: "meta",
    cell: (row) => <TypeName {...row} />,
  },
  {
    id: "category",
    header: "Category",
    width: "20%",
    sort: "category",
    cell: ({ category }) => categoryWord(category),
  },
];

/** The connections with what steps need to reach other systems; their secrets stay sealed. */
export function ConnectionsPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const may = useCan()("ConfigService:Connection:upsert");
  return (
    <Page
      title="Connections"
      about="How steps reach other systems. Secrets are sealed: no page and no job shows them."
      actions={may && <NewConnection />}
    >
      <RecordTable
        label="Connections"
        search="Search connections by name or description"
        icon={IconPlugConnected}
        state={state}
        onChange={(next) => void navigate({ search: next, replace: true })}
        fields={useFields()}
        columns={columns}
        source={connectionSource}
        sort="name"
        rowKey={({ id }) => id}
        none={{
          title: "No connections yet",
          says: may
            ? "Make one for the database, mail server or API that your jobs work with. Steps name it; its secrets stay here."
            : "As soon as somebody makes one, it shows up here.",
          action: may && <NewConnection />,
        }}
      />
    </Page>
  );
}

function TypeName({ connectionType }: ConnectionItem) {
  const { data: types } = useQuery(connectionTypesQuery);
  return (
    <Group
      gap={8}
      wrap="nowrap"
      component="span"
      display="inline-flex"
      maw="100%"
      style={{ verticalAlign: "middle" }}
    >
      <TypeIcon type={connectionType} size={16} />
      <span className="clip">
        {types?.find((type) => type.connectionType === connectionType)?.label ?? connectionType}
      </span>
    </Group>
  );
}

function NewConnection() {
  return (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/connections/new" {...props} />}
    >
      New connection
    </Button>
  );
}
