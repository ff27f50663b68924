import {
  IconCertificate,
  IconFile,
  IconFolder,
  IconPlayerPlay,
  IconPlugConnected,
  IconRoute,
  IconServer2,
  IconSubtask,
  IconTable,
  IconTemplate,
  IconVariable,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { IconType } from "../../components/icon.ts";
import type { Found } from "./find.ts";

interface Kind {
  icon: IconType;
  /** As it stands beside a hit. */
  word: string;
}

/** What each kind of hit looks like. */
export const kinds: Record<Found["kind"], Kind> = {
  job: { icon: IconRoute, word: "job" },
  step: { icon: IconSubtask, word: "step" },
  collection: { icon: IconFolder, word: "collection" },
  execution: { icon: IconPlayerPlay, word: "execution" },
  connection: { icon: IconPlugConnected, word: "connection" },
  mcpServer: { icon: IconServer2, word: "MCP server" },
  variable: { icon: IconVariable, word: "variable" },
  dataset: { icon: IconTable, word: "dataset" },
  file: { icon: IconFile, word: "file" },
  certificate: { icon: IconCertificate, word: "certificate" },
  apiTemplate: { icon: IconTemplate, word: "API template" },
};

/** Opens the page of a hit; of a step that of its job, of a collection the list of its jobs. */
export function useOpen(): (found: Pick<Found, "kind" | "id" | "jobId">) => unknown {
  const navigate = useNavigate();
  return ({ kind, id, jobId }) => {
    switch (kind) {
      case "job":
        return navigate({ to: "/jobs/$jobId", params: { jobId: id } });
      case "step":
        return navigate({ to: "/jobs/$jobId", params: { jobId: jobId! } });
      case "collection":
        return navigate({ to: "/jobs", search: { f: [["collectionId", "equals", id]] } });
      case "execution":
        return navigate({ to: "/executions/$executionId", params: { executionId: id } });
      case "connection":
        return navigate({ to: "/connections/$connectionId", params: { connectionId: id } });
      case "mcpServer":
        return navigate({ to: "/mcp-servers/$serverId", params: { serverId: id } });
      case "variable":
        return navigate({ to: "/variables/$variableId", params: { variableId: id } });
      case "dataset":
        return navigate({ to: "/datasets/$datasetId", params: { datasetId: id } });
      case "file":
        return navigate({ to: "/files/$fileId", params: { fileId: id } });
      case "certificate":
        return navigate({ to: "/certificates/$certificateId", params: { certificateId: id } });
      case "apiTemplate":
        return navigate({ to: "/api-templates/$templateId", params: { templateId: id } });
    }
  };
}
