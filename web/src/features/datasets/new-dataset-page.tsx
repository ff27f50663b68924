import { Paper } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { Above } from "../configuration/above.tsx";
import { UploadForm } from "./upload-form.tsx";

export function NewDatasetPage() {
  const navigate = useNavigate();
  return (
    <Page
      title="New dataset"
      above={<Above to="/datasets">Datasets</Above>}
      about="The types of the columns are found by looking at all values. Nothing is taken over unless all of it is right."
    >
      <Paper p="lg" maw={760}>
        <UploadForm
          onSaved={({ id }) => navigate({ to: "/datasets/$datasetId", params: { datasetId: id } })}
        />
      </Paper>
    </Page>
  );
}
