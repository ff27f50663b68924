import { Button, Menu } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";
import { type BulkActionName, type BulkScope, bulkActions } from "./bulk-actions.ts";
import { BulkDialog } from "./bulk-dialog.tsx";

/** Does one thing to every execution that the list shows, once it is counted and confirmed. */
export function BulkMenu({ scope }: { scope: BulkScope }) {
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
          {bulkActions.map(({ name, verb, icon: Icon }) => (
            <Menu.Item key={name} leftSection={<Icon size={15} />} onClick={() => setAction(name)}>
              {verb} all …
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <BulkDialog asked={action && { action, scope }} onClose={() => setAction(undefined)} />
    </>
  );
}
