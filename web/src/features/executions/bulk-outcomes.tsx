import type { BulkOutcome } from "@contract/control.ts";
import { Anchor, List, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";

const shown = 20;

interface BulkOutcomesProps {
  outcomes: BulkOutcome[];
  /** Names of jobs by the ids of executions, where they are known. */
  names?: ReadonlyMap<string, string> | undefined;
}

/** What became of each execution that a bulk action was to reach; refusals first. */
export function BulkOutcomes({ outcomes, names }: BulkOutcomesProps) {
  if (outcomes.length === 0) return null;
  const sorted = outcomes.toSorted((a, b) => Number(a.done) - Number(b.done));
  return (
    <List size="sm" spacing={4} mah={240} style={{ overflow: "auto" }} aria-label="Outcomes">
      {sorted.slice(0, shown).map(({ executionId, message }) => (
        <List.Item key={executionId} style={{ overflowWrap: "anywhere" }}>
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link to="/executions/$executionId" params={{ executionId }} {...props} />}
          >
            {names?.get(executionId)?.slice(0, 60)} …{executionId.slice(-8)}
          </Anchor>
          : {message}
        </List.Item>
      ))}
      {outcomes.length > shown && (
        <List.Item>
          <Text size="sm">and {(outcomes.length - shown).toLocaleString()} more</Text>
        </List.Item>
      )}
    </List>
  );
}
