import type { FilterField } from "../../components/table/fields.ts";

/** What jobs can be filtered by. */
export const jobFields: FilterField[] = [
  { name: "name", label: "Name", kind: "text" },
  { name: "description", label: "Description", kind: "text" },
  { name: "category", label: "Category", kind: "text" },
  { name: "tags", label: "Tag", kind: "tags" },
  { name: "updatedAt", label: "Changed", kind: "time" },
  { name: "updatedBy", label: "Changed by", kind: "text" },
  { name: "createdAt", label: "Created", kind: "time" },
  { name: "version", label: "Version", kind: "number" },
  { name: "collectionId", label: "Collection id", kind: "id" },
];
