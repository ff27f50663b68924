const triggers: Record<string, string> = {
  api: "API",
  manual: "By hand",
  schedule: "Schedule",
  webhook: "Webhook",
};
const sources: Record<string, string> = { ui: "web", cli: "command line", "mcp-server": "assistant" };

/** How an execution came to be, and from where: "By hand · web". What is not known stays as it was said. */
export function triggerText({
  triggeredBy,
  triggerSource,
}: {
  triggeredBy: string;
  triggerSource?: string | null;
}): string {
  // Its source is the id of the execution that did.
  if (triggeredBy === "job") return "Another job";
  const how = triggers[triggeredBy] ?? triggeredBy;
  if (!triggerSource || triggerSource === triggeredBy) return how;
  return `${how} · ${sources[triggerSource] ?? triggerSource}`;
}
