import type { ApiTemplateItem } from "@contract/api-template.ts";
import { Button } from "@mantine/core";
import { IconPlus, IconTemplate } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { type Column, rowLink } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import { RecordTable } from "../configuration/record-table.tsx";
import { methods } from "./draft.ts";
import { templateSource } from "./queries.ts";

const route = getRouteApi("/frame/api-templates");

const fields: FilterField[] = [
  { name: "name", label: "Name", kind: "text" },
  {
    name: "method",
    label: "Method",
    kind: "choice",
    options: methods.map((value) => ({ value, label: value })),
  },
  { name: "path", label: "Path", kind: "text" },
  { name: "category", label: "Category", kind: "text" },
  { name: "description", label: "Description", kind: "text" },
  { name: "updatedAt", label: "Changed", kind: "time" },
];

const columns: Column<ApiTemplateItem>[] = [
  {
    id: "name",
    header: "Name",
    width: "28%",
    sort: "name",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/api-templates/$templateId" params={{ templateId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: "request",
    header: "Request",
    sort: "path",
    phone: "meta",
    cell: ({ method, path }) => (
      <span className="mono">
        {method} {path}
      </span>
    ),
  },
  { id: "category", header: "Category", width: "16%", sort: "category", cell: ({ category }) => category },
  {
    id: "updated",
    header: "Changed",
    width: "140px",
    sort: "updatedAt",
    sortFirst: "desc",
    cell: ({ updatedAt }) => <TimeText at={updatedAt} />,
  },
];

/** Requests written once, which http steps fill in. */
export function ApiTemplatesPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const may = useCan()("ConfigService:ApiTemplate:upsert");
  const add = may && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/api-templates/new" {...props} />}
    >
      New template
    </Button>
  );
  return (
    <Page title="API templates" about="Requests written once, which http steps fill in." actions={add}>
      <RecordTable
        label="API templates"
        search="Search templates by name or description"
        icon={IconTemplate}
        state={state}
        onChange={(next) => void navigate({ search: next, replace: true })}
        fields={fields}
        columns={columns}
        source={templateSource}
        sort="name"
        rowKey={({ id }) => id}
        none={{
          title: "No API templates yet",
          says: may
            ? "Write a request that several jobs send: they name the template and give its params, and it is mended in one place."
            : "As soon as somebody makes one, it shows up here.",
          action: add,
        }}
      />
    </Page>
  );
}
