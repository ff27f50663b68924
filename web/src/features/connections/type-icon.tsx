import type { ConnectionType } from "@contract/connection.ts";
import {
  IconBuildingBank,
  IconCloud,
  IconDatabase,
  IconFolderShare,
  IconLeaf,
  IconMail,
  IconMessage,
  IconPlug,
  IconTerminal2,
  IconUsersGroup,
  IconWorld,
} from "@tabler/icons-react";
import type { IconType } from "../../components/icon.ts";

const icons: Partial<Record<ConnectionType, IconType>> = {
  "email-smtp": IconMail,
  "database-relational1": IconDatabase,
  "database-relational2": IconDatabase,
  "database-document": IconLeaf,
  ssh: IconTerminal2,
  sftp: IconFolderShare,
  ftp: IconFolderShare,
  "object-storage": IconCloud,
  "chat-workspace": IconMessage,
  "crm-suite": IconUsersGroup,
  "office-suite-graph": IconBuildingBank,
  "rest-api": IconWorld,
};

export function TypeIcon({ type, size = 18 }: { type: ConnectionType; size?: number }) {
  const Icon = icons[type] ?? IconPlug;
  return <Icon size={size} stroke={1.6} />;
}
