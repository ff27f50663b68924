import type { JobVersion } from "@contract/job.ts";
import { stringify } from "yaml";

type Definition = JobVersion["definition"];

/** A definition as people write it, like an export of it: without ids, texts of several lines as blocks. */
export function yamlOf(definition: Definition): string {
  const { name, description, category, tags, parameters, steps, timeoutMs, concurrency, mcp } = definition;
  const written = {
    name,
    description,
    category,
    tags,
    parameters,
    steps: steps.map(({ id: _, ...step }) => ordered(step)),
    timeoutMs,
    concurrency,
    mcp,
  };
  return stringify(written, { lineWidth: 0, schema: "core", version: "1.2", keepUndefined: false });
}

function ordered({
  key,
  name,
  description,
  type,
  when,
  connectionId,
  input,
  retry,
  timeoutMs,
  onError,
}: Omit<Definition["steps"][number], "id">) {
  return { key, name, description, type, when, connectionId, input, retry, timeoutMs, onError };
}
