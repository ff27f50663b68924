import type { BulkOutcome } from "@contract/control.ts";
import { Anchor, List, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";

const shown = 20;

/** Which executions a bulk action did not reach, and why. */
export function BulkRefusals({ refused }: { refused: BulkOutcome[] }) {
  if (refused.length === 0) return null;
  return (
    <List size="sm" spacing={4} mah={240} style={{ overflow: "auto" }}>
      {refused.slice(0, shown).map(({ executionId, message }) => (
        <List.Item key={executionId} style={{ overflowWrap: "anywhere" }}>
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/executions/$executionId" params={{ executionId }} {...props} />}
          >
            …{executionId.slice(-8)}
          </Anchor>
          : {message}
        </List.Item>
      ))}
      {refused.length > shown && (
        <List.Item>
          <Text size="sm">and {(refused.length - shown).toLocaleString()} more</Text>
        </List.Item>
      )}
    </List>
  );
}
