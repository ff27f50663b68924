import type { ApiTemplate } from "@contract/api-template.ts";

/** A step of a job that sends the request of a template, in YAML. */
export function stepOf({ name, connectionType, parameters }: ApiTemplate): string {
  const asked = Object.keys((parameters.properties as object | undefined) ?? {});
  const params = asked.map((key) => `${quoted(key)}: …`).join(", ");
  return [
    "- key: call",
    "  type: http",
    ...(connectionType ? ["  connectionId: …"] : []),
    "  input:",
    `    apiTemplate: ${quoted(name)}`,
    ...(asked.length > 0 ? [`    apiParams: { ${params} }`] : []),
  ].join("\n");
}

/** A JSON text is one of YAML too; plain where that is safe. */
function quoted(text: string): string {
  return /^[A-Za-z][\w-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
