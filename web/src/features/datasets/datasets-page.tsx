import type { Dataset } from "@contract/dataset.ts";
import { Button, Text } from "@mantine/core";
import { IconPlus, IconTable } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { type Column, rowLink } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import { RecordTable } from "../configuration/record-table.tsx";
import { datasetSource } from "./queries.ts";

const route = getRouteApi("/frame/datasets");

const fields: FilterField[] = [
  { name: "name", label: "Name", kind: "text" },
  { name: "description", label: "Description", kind: "text" },
  { name: "rowCount", label: "Rows", kind: "number" },
  { name: "updatedAt", label: "Changed", kind: "time" },
  { name: "updatedBy", label: "Changed by", kind: "text" },
];

const columns: Column<Dataset>[] = [
  {
    id: "name",
    header: "Name",
    width: "28%",
    sort: "name",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/datasets/$datasetId" params={{ datasetId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: "columns",
    header: "Columns",
    phone: "meta",
    cell: ({ columns }) => <span dir="auto">{columns.map(({ name }) => name).join(", ")}</span>,
  },
  {
    id: "rows",
    header: "Rows",
    width: "110px",
    align: "right",
    sort: "rowCount",
    sortFirst: "desc",
    phone: "aside",
    cell: ({ rowCount }) => (
      <>
        {rowCount.toLocaleString()}
        <Text span inherit hiddenFrom="sm">
          {rowCount === 1 ? " row" : " rows"}
        </Text>
      </>
    ),
  },
  {
    id: "updated",
    header: "Changed",
    width: "140px",
    sort: "updatedAt",
    sortFirst: "desc",
    cell: ({ updatedAt }) => <TimeText at={updatedAt} />,
  },
];

/** Tables that steps read and append to. */
export function DatasetsPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const may = useCan()("ConfigService:Dataset:upsert");
  const add = may && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/datasets/new" {...props} />}
    >
      New dataset
    </Button>
  );
  return (
    <Page title="Datasets" about="Tables with typed columns, which steps read and append to." actions={add}>
      <RecordTable
        label="Datasets"
        search="Search datasets by name or description"
        icon={IconTable}
        state={state}
        onChange={(next) => void navigate({ search: next, replace: true })}
        fields={fields}
        columns={columns}
        source={datasetSource}
        sort="name"
        rowKey={({ id }) => id}
        none={{
          title: "No datasets yet",
          says: may
            ? "Upload a CSV or JSON file: its columns get their types by themselves."
            : "As soon as somebody uploads one, it shows up here.",
          action: add,
        }}
      />
    </Page>
  );
}
