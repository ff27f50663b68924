import type { BulkRequest } from "@contract/control.ts";
import type { FilterRequest } from "@contract/search.ts";
import { Button, Menu } from "@mantine/core";
import {
  IconChevronDown,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconRefresh,
} from "@tabler/icons-react";
import { useState } from "react";
import type { IconType } from "../../components/icon.ts";
import { BulkDialog } from "./bulk-dialog.tsx";

export type BulkActionName = BulkRequest["action"];

const actions: { name: BulkActionName; label: string; icon: IconType }[] = [
  { name: "PAUSE", label: "Pause all …", icon: IconPlayerPauseFilled },
  { name: "RESUME", label: "Resume all …", icon: IconPlayerPlayFilled },
  { name: "STOP", label: "Stop all …", icon: IconPlayerStopFilled },
  { name: "RESTART", label: "Restart all …", icon: IconRefresh },
];

/** Does one thing to every execution that the list shows, once it is counted and confirmed. */
export function BulkMenu({ filter, filtered }: { filter: FilterRequest; filtered: boolean }) {
  const [action, setAction] = useState<BulkActionName>();
  return (
    <>
      <Menu>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={15} />}>
            All of these
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map(({ name, label, icon: Icon }) => (
            <Menu.Item key={name} leftSection={<Icon size={15} />} onClick={() => setAction(name)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <BulkDialog action={action} filter={filter} filtered={filtered} onClose={() => setAction(undefined)} />
    </>
  );
}
