import { Anchor } from "@mantine/core";
import { IconMapQuestion } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { Empty } from "../empty.tsx";

export function NotFound() {
  return (
    <Empty
      icon={<IconMapQuestion size={36} stroke={1.5} />}
      title="There is no such page"
      action={
        <Anchor component={Link} to="/">
          Go home
        </Anchor>
      }
    >
      The address may be mistyped, or what was here is gone.
    </Empty>
  );
}
