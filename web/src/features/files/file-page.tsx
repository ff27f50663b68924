import { Button, FileButton, Stack } from "@mantine/core";
import { IconDownload, IconUpload } from "@tabler/icons-react";
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
import { formatSize } from "../configuration/size.ts";
import { DeleteSays, isTold, UsedBy, usageQuery } from "../configuration/used-by.tsx";
import { contentOf, fileQuery } from "./queries.ts";
import { UploadList } from "./uploads.tsx";
import { useUploads } from "./use-uploads.ts";

const route = getRouteApi("/frame/files/$fileId");

/** What is known of a file. Its content is only ever downloaded, never shown: it may be anything. */
export function FilePage() {
  const { fileId } = route.useParams();
  const navigate = route.useNavigate();
  const can = useCan();
  const { data: file, error, refetch } = useQuery(fileQuery(fileId));
  useVisited(file && { kind: "file", id: file.id, name: file.name });
  const uploads = useUploads(file);
  if (error && !file) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!file) return <PageSkeleton />;
  const usage = usageQuery("files", file.id, api.getFileUsage);
  return (
    <Page
      title={file.name}
      above={<Above to="/files">Files</Above>}
      about={file.description}
      actions={
        <>
          <Button component="a" href={contentOf(file.id)} download leftSection={<IconDownload size={16} />}>
            Download
          </Button>
          {can("ConfigService:File:upsert") && (
            <FileButton onChange={(chosen) => chosen && uploads.add([chosen])}>
              {(props) => (
                <Button variant="default" leftSection={<IconUpload size={16} />} {...props}>
                  Replace
                </Button>
              )}
            </FileButton>
          )}
          {can("ConfigService:File:delete") && (
            <DeleteButton
              noun="file"
              name={file.name}
              queryNoun="files"
              says={<DeleteSays query={usage} gone="It is gone for good." />}
              run={() => api.deleteFile({ params: { id: file.id }, query: { force: isTold(usage) } })}
              leave={() => navigate({ to: "/files" })}
            />
          )}
        </>
      }
    >
      <Stack gap="lg" maw={760}>
        <UploadList uploads={uploads} />
        <UsedBy query={usage} hint="A step reads it by its name." />
        <Section title="About">
          <Facts
            facts={[
              [
                "Size",
                `${formatSize(file.size)}${file.size >= 1024 ? ` (${file.size.toLocaleString()} bytes)` : ""}`,
              ],
              ["Type", file.contentType],
              ["SHA-256", <CopyText key="hash" text={file.sha256} />],
              ["Id", <CopyText key="id" text={file.id} />],
              ["Version", file.version],
              ...changesOf(file),
            ]}
          />
        </Section>
      </Stack>
    </Page>
  );
}
