import { jsonFaults } from "../json-limits.ts";
import { cleanText } from "./clean-text.ts";
import { hashTool, type RawTool } from "./tool-hash.ts";

export const toolLimits = {
  /** Of one server. */
  tools: 512,
  /** Pages that tools/list is asked for. */
  pages: 20,
  /** One tool as JSON. */
  toolBytes: 64 * 1024,
  /** All answers to tools/list together. */
  listBytes: 4 * 1024 * 1024,
  descriptionChars: 8_000,
} as const;

/** A tool as Pawl keeps and shows it: hidden characters removed. The hash is of the tool before that. */
export interface ListedTool {
  name: string;
  title?: string;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  hash: string;
}

/** A list of tools that can't be taken as a whole. */
export class ToolListFault extends Error {
  override readonly name = "ToolListFault";
  readonly code: "INVALID_TOOL_LIST" | "TOO_LARGE";
  constructor(code: "INVALID_TOOL_LIST" | "TOO_LARGE", message: string) {
    super(message);
    this.code = code;
  }
}

/** Collects the tools of one server, page by page. What can't be used of it is left out, and said. */
export function toolList() {
  const tools = new Map<string, ListedTool>();
  const leftOut: string[] = [];
  let cleaned = 0;
  let bytes = 0;

  return {
    tools,
    /** @throws ToolListFault */
    add(page: unknown): void {
      if (!Array.isArray(page)) {
        throw new ToolListFault("INVALID_TOOL_LIST", "The answer to tools/list has no list of tools.");
      }
      if (tools.size + page.length > toolLimits.tools) {
        throw new ToolListFault(
          "TOO_LARGE",
          `The server has more than ${toolLimits.tools} tools, which is more than Pawl takes of one server.`,
        );
      }
      for (const raw of page) {
        const fault = toolFault(raw);
        if (fault !== undefined) {
          leftOut.push(fault);
          continue;
        }
        const size = Buffer.byteLength(JSON.stringify(raw));
        if (size > toolLimits.toolBytes) {
          leftOut.push(`${(raw as RawTool).name} (larger than ${toolLimits.toolBytes / 1024} KiB)`);
          continue;
        }
        bytes += size;
        if (bytes > toolLimits.listBytes) {
          throw new ToolListFault("TOO_LARGE", "The tools have more than 4 MiB together.");
        }
        const tool = listed(raw as RawTool & { inputSchema: Record<string, unknown> });
        if (tools.has(tool.tool.name)) {
          throw new ToolListFault(
            "INVALID_TOOL_LIST",
            `The server lists the tool ${tool.tool.name} twice, so it can't be known which of them a call means.`,
          );
        }
        tools.set(tool.tool.name, tool.tool);
        if (tool.cleaned) cleaned++;
      }
    },
    /** What somebody should know who trusts this list; undefined when there is nothing. */
    remark(): string | undefined {
      const remarks: string[] = [];
      if (leftOut.length > 0) {
        const more = leftOut.length > 3 ? ` and ${leftOut.length - 3} more` : "";
        remarks.push(`Left out: ${leftOut.slice(0, 3).join("; ")}${more}.`);
      }
      if (cleaned > 0) remarks.push(`Hidden characters were removed from ${cleaned} of the tools.`);
      return remarks.length > 0 ? remarks.join(" ") : undefined;
    },
  };
}

const toolName = /^[\x21-\x7e]{1,128}$/;

function toolFault(raw: unknown): string | undefined {
  if (!isObject(raw) || typeof raw.name !== "string") return "one without a name";
  if (!toolName.test(raw.name)) return "one whose name is not 1 to 128 visible ASCII characters";
  if (!isObject(raw.inputSchema)) return `${raw.name} (no inputSchema)`;
  if (jsonFaults(raw, { maxDepth: 64, maxValues: 10_000 }).length > 0) return `${raw.name} (can't be kept)`;
  return undefined;
}

function listed(raw: RawTool & { inputSchema: Record<string, unknown> }): {
  tool: ListedTool;
  cleaned: boolean;
} {
  const { name, title, description, inputSchema, outputSchema, annotations } = raw;
  const before = { title, description, inputSchema, outputSchema, annotations };
  const text = (value: unknown) =>
    cleanText(String(value)).slice(0, toolLimits.descriptionChars).toWellFormed();
  const kept = {
    ...(typeof title === "string" ? { title: text(title) } : {}),
    description: typeof description === "string" ? text(description) : "",
    inputSchema: cleanWords(inputSchema) as Record<string, unknown>,
    ...(isObject(outputSchema) ? { outputSchema: cleanWords(outputSchema) as Record<string, unknown> } : {}),
    ...(isObject(annotations) ? { annotations: cleanWords(annotations) as Record<string, unknown> } : {}),
  };
  const cleaned = hasHidden(before);
  return { tool: { name, ...kept, hash: hashTool(raw) }, cleaned };
}

/** Cleans the words of a schema that are for readers; what it matches with stays as it is. */
function cleanWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleanWords);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === "string" && ["description", "title", "$comment"].includes(key)
        ? cleanText(inner)
        : cleanWords(inner),
    ]),
  );
}

function hasHidden(value: unknown): boolean {
  if (typeof value === "string") return cleanText(value) !== value;
  if (Array.isArray(value)) return value.some(hasHidden);
  return isObject(value) && Object.values(value).some(hasHidden);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
