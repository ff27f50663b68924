import type { Dataset } from "@contract/dataset.ts";
import { Button, Grid, Menu, Modal, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload, IconRowInsertBottom, IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Page, Section } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { api } from "../../services/api.ts";
import { useVisited } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { Above } from "../configuration/above.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { DeleteButton } from "../configuration/delete-button.tsx";
import { changesOf, Facts } from "../configuration/facts.tsx";
import { DeleteSays, isTold, UsedBy, usageQuery } from "../configuration/used-by.tsx";
import { datasetQuery } from "./queries.ts";
import { RenameForm } from "./rename-form.tsx";
import { RowForm } from "./row-form.tsx";
import { RowTable } from "./row-table.tsx";
import { UploadForm } from "./upload-form.tsx";

const route = getRouteApi("/frame/datasets/$datasetId");

/** A dataset: its rows first, and what can be done with it. */
export function DatasetPage() {
  const { datasetId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const can = useCan();
  const { data: dataset, error, refetch } = useQuery(datasetQuery(datasetId));
  useVisited(dataset && { kind: "dataset", id: dataset.id, name: dataset.name });
  if (error && !dataset) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!dataset) return <PageSkeleton />;
  const usage = usageQuery("datasets", dataset.id, api.getDatasetUsage);
  const mayWrite = can("ConfigService:Dataset:upsert");
  return (
    <Page
      title={dataset.name}
      above={<Above to="/datasets">Datasets</Above>}
      about={dataset.description}
      actions={
        <>
          <Download dataset={dataset} />
          {mayWrite && <AddRows dataset={dataset} />}
          {mayWrite && <Replace dataset={dataset} />}
          {can("ConfigService:Dataset:delete") && (
            <DeleteButton
              noun="dataset"
              name={dataset.name}
              queryNoun="datasets"
              says={<DeleteSays query={usage} gone="Its rows are gone for good." />}
              run={() => api.deleteDataset({ params: { id: dataset.id }, query: { force: isTold(usage) } })}
              leave={() => navigate({ to: "/datasets" })}
            />
          )}
        </>
      }
    >
      <RowTable
        dataset={dataset}
        search={search}
        onSearch={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
      />
      <Grid gap="xl">
        {mayWrite && (
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Section title="Name and description">
              <RenameForm key={dataset.version} dataset={dataset} />
            </Section>
          </Grid.Col>
        )}
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <UsedBy query={usage} hint="A step reads it, or appends to it, by its name." />
            <Section title="About">
              <Facts
                facts={[
                  ["Id", <CopyText key="id" text={dataset.id} />],
                  ["Columns", dataset.columns.length],
                  ["Rows", dataset.rowCount.toLocaleString()],
                  ["Version", dataset.version],
                  ...changesOf(dataset),
                ]}
              />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** The browser saves what the API answers: it is never held in the page. */
function Download({ dataset: { id } }: { dataset: Dataset }) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} />}>
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={`/dataset/${id}/export?format=csv`} download>
          As CSV
        </Menu.Item>
        <Menu.Item component="a" href={`/dataset/${id}/export?format=json`} download>
          As JSON
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AddRows({ dataset }: { dataset: Dataset }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<IconRowInsertBottom size={16} />} onClick={open}>
        Add rows
      </Button>
      <Modal opened={opened} onClose={close} title="Add a row" size="lg">
        <RowForm dataset={dataset} onDone={close} />
      </Modal>
    </>
  );
}

function Replace({ dataset }: { dataset: Dataset }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<IconUpload size={16} />} onClick={open}>
        Replace the rows
      </Button>
      <Modal opened={opened} onClose={close} title="Replace all rows and columns" size="lg">
        <Stack gap="md">
          <UploadForm dataset={dataset} onSaved={close} />
        </Stack>
      </Modal>
    </>
  );
}
