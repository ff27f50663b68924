const words: Record<string, string> = {
  api: "API",
  manual: "By hand",
  schedule: "Schedule",
  webhook: "Webhook",
  ui: "web interface",
  cli: "command line",
  "mcp-server": "assistant",
};

const wordOf = (name: string) => words[name] ?? name;

/** How an execution came to be, and from where: "By hand · web interface". What is not known stays as it was said. */
export function triggerText({
  triggeredBy,
  triggerSource,
}: {
  triggeredBy: string;
  triggerSource?: string | null;
}): string {
  // Its source is the id of the execution that did.
  if (triggeredBy === "job") return "Another job";
  const how = wordOf(triggeredBy);
  return triggerSource && triggerSource !== triggeredBy ? `${how} · ${wordOf(triggerSource)}` : how;
}
