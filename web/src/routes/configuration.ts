import { type ConnectionType, connectionTypes } from "@contract/connection.ts";
import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { readTableState } from "../components/table/filters.ts";
import { frameRoute } from "./root.tsx";

const getParentRoute = () => frameRoute;

const connections = createRoute({
  getParentRoute,
  path: "/connections",
  validateSearch: readTableState,
  component: lazyRouteComponent(
    () => import("../features/connections/connections-page.tsx"),
    "ConnectionsPage",
  ),
});

const newConnection = createRoute({
  getParentRoute,
  path: "/connections/new",
  validateSearch: ({ type }: Record<string, unknown>): { type?: ConnectionType | undefined } => ({
    type: connectionTypes.find((one) => one === type),
  }),
  component: lazyRouteComponent(
    () => import("../features/connections/new-connection-page.tsx"),
    "NewConnectionPage",
  ),
});

const connection = createRoute({
  getParentRoute,
  path: "/connections/$connectionId",
  component: lazyRouteComponent(
    () => import("../features/connections/connection-page.tsx"),
    "ConnectionPage",
  ),
});

const variables = createRoute({
  getParentRoute,
  path: "/variables",
  validateSearch: readTableState,
  component: lazyRouteComponent(() => import("../features/variables/variables-page.tsx"), "VariablesPage"),
});

const newVariable = createRoute({
  getParentRoute,
  path: "/variables/new",
  component: lazyRouteComponent(() => import("../features/variables/variable-page.tsx"), "NewVariablePage"),
});

const variable = createRoute({
  getParentRoute,
  path: "/variables/$variableId",
  component: lazyRouteComponent(() => import("../features/variables/variable-page.tsx"), "VariablePage"),
});

const certificates = createRoute({
  getParentRoute,
  path: "/certificates",
  validateSearch: readTableState,
  component: lazyRouteComponent(
    () => import("../features/certificates/certificates-page.tsx"),
    "CertificatesPage",
  ),
});

const newCertificate = createRoute({
  getParentRoute,
  path: "/certificates/new",
  component: lazyRouteComponent(
    () => import("../features/certificates/certificate-page.tsx"),
    "NewCertificatePage",
  ),
});

const certificate = createRoute({
  getParentRoute,
  path: "/certificates/$certificateId",
  component: lazyRouteComponent(
    () => import("../features/certificates/certificate-page.tsx"),
    "CertificatePage",
  ),
});

const datasets = createRoute({
  getParentRoute,
  path: "/datasets",
  validateSearch: readTableState,
  component: lazyRouteComponent(() => import("../features/datasets/datasets-page.tsx"), "DatasetsPage"),
});

const newDataset = createRoute({
  getParentRoute,
  path: "/datasets/new",
  component: lazyRouteComponent(() => import("../features/datasets/new-dataset-page.tsx"), "NewDatasetPage"),
});

/** Which rows of a dataset are shown. */
export interface RowsSearch {
  q?: string | undefined;
  /** Column to sort by; with a minus before it the other way round. */
  sort?: string | undefined;
  /** From 0. */
  page?: number | undefined;
}

const dataset = createRoute({
  getParentRoute,
  path: "/datasets/$datasetId",
  validateSearch: ({ q, sort, page }: Record<string, unknown>): RowsSearch => ({
    q: typeof q === "string" || typeof q === "number" ? String(q).slice(0, 256) || undefined : undefined,
    sort: typeof sort === "string" ? sort.slice(0, 101) : undefined,
    page: Number.isInteger(page) && (page as number) > 0 ? Math.min(page as number, 1_000_000) : undefined,
  }),
  component: lazyRouteComponent(() => import("../features/datasets/dataset-page.tsx"), "DatasetPage"),
});

const files = createRoute({
  getParentRoute,
  path: "/files",
  validateSearch: readTableState,
  component: lazyRouteComponent(() => import("../features/files/files-page.tsx"), "FilesPage"),
});

const file = createRoute({
  getParentRoute,
  path: "/files/$fileId",
  component: lazyRouteComponent(() => import("../features/files/file-page.tsx"), "FilePage"),
});

const templates = createRoute({
  getParentRoute,
  path: "/api-templates",
  validateSearch: readTableState,
  component: lazyRouteComponent(
    () => import("../features/api-templates/templates-page.tsx"),
    "ApiTemplatesPage",
  ),
});

const newTemplate = createRoute({
  getParentRoute,
  path: "/api-templates/new",
  component: lazyRouteComponent(
    () => import("../features/api-templates/template-page.tsx"),
    "NewApiTemplatePage",
  ),
});

const template = createRoute({
  getParentRoute,
  path: "/api-templates/$templateId",
  component: lazyRouteComponent(
    () => import("../features/api-templates/template-page.tsx"),
    "ApiTemplatePage",
  ),
});

export const configurationRoutes = [
  connections,
  newConnection,
  connection,
  variables,
  newVariable,
  variable,
  certificates,
  newCertificate,
  certificate,
  datasets,
  newDataset,
  dataset,
  files,
  file,
  templates,
  newTemplate,
  template,
] as const;
