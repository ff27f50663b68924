import type { StoredFile } from "@contract/file.ts";
import { ActionIcon, Stack } from "@mantine/core";
import { IconDownload, IconFiles } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { aboveRow, type Column, rowLink } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import { FileDrop } from "../configuration/file-drop.tsx";
import { RecordTable } from "../configuration/record-table.tsx";
import { formatSize } from "../configuration/size.ts";
import { contentOf, fileSource } from "./queries.ts";
import { UploadList } from "./uploads.tsx";
import { useUploads } from "./use-uploads.ts";

const route = getRouteApi("/frame/files");

const fields: FilterField[] = [
  { name: "name", label: "Name", kind: "text" },
  { name: "description", label: "Description", kind: "text" },
  { name: "contentType", label: "Type", kind: "text" },
  { name: "size", label: "Size in bytes", kind: "number" },
  { name: "updatedAt", label: "Changed", kind: "time" },
  { name: "updatedBy", label: "Changed by", kind: "text" },
  { name: "sha256", label: "SHA-256", kind: "text" },
];

const columns: Column<StoredFile>[] = [
  {
    id: "name",
    header: "Name",
    sort: "name",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/files/$fileId" params={{ fileId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: "type",
    header: "Type",
    width: "22%",
    sort: "contentType",
    cell: ({ contentType }) => contentType,
  },
  {
    id: "size",
    header: "Size",
    width: "110px",
    align: "right",
    sort: "size",
    sortFirst: "desc",
    phone: "meta",
    cell: ({ size }) => formatSize(size),
  },
  {
    id: "updated",
    header: "Changed",
    width: "140px",
    sort: "updatedAt",
    sortFirst: "desc",
    phone: "meta",
    cell: ({ updatedAt }) => <TimeText at={updatedAt} />,
  },
  {
    id: "download",
    header: "Download",
    width: "96px",
    phone: "aside",
    cell: ({ id, name }) => (
      <ActionIcon
        className={aboveRow}
        variant="subtle"
        color="gray"
        component="a"
        href={contentOf(id)}
        download
        aria-label={`Download ${name.slice(0, 80)}`}
      >
        <IconDownload size={17} />
      </ActionIcon>
    ),
  },
];

/** Files that steps read; uploaded here with progress. */
export function FilesPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const may = useCan()("ConfigService:File:upsert");
  const uploads = useUploads();
  return (
    <Page title="Files" about="Kept whole, found by name, read by steps.">
      <Stack gap="md">
        {may && (
          <>
            <FileDrop
              says="Drop files here, or choose them"
              about="Each is kept under its own name"
              multiple
              onFiles={uploads.add}
            />
            <UploadList uploads={uploads} />
          </>
        )}
        <RecordTable
          label="Files"
          search="Search files by name or description"
          icon={IconFiles}
          state={state}
          onChange={(next) => void navigate({ search: next, replace: true })}
          fields={fields}
          columns={columns}
          source={fileSource}
          sort="-updatedAt"
          rowKey={({ id }) => id}
          none={{
            title: "No files yet",
            says: may
              ? "Drop the first one above: a template, a list, a key that steps need."
              : "As soon as somebody uploads one, it shows up here.",
          }}
        />
      </Stack>
    </Page>
  );
}
