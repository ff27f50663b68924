import type { CallToolResult, Progress } from "@modelcontextprotocol/client";
import { cleanText } from "../../lib/mcp/clean-text.ts";

const progressChars = 200;

/** What a result says in text: its texts, and a line for each thing that is none. */
export function textOf({ content, structuredContent }: CallToolResult): string {
  const texts = content.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "image":
      case "audio":
        return `[${part.type}, ${part.mimeType}, ${kibOf(part.data)}]`;
      case "resource_link":
        return `[link to ${part.uri}]`;
      case "resource":
        return "text" in part.resource
          ? part.resource.text
          : `[resource ${part.resource.uri}, ${kibOf(part.resource.blob)}]`;
      default:
        return "[something that Pawl does not know]";
    }
  });
  if (texts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return texts.join("\n");
}

/** How far a server says that it is: "3 of 10, reading". */
export function progressWords({ progress, total, message = "" }: Progress): string {
  const far = total === undefined ? `${progress}` : `${progress} of ${total}`;
  const said = excerptOf(message, progressChars).replace(/\s+/g, " ");
  return said === "" ? far : `${far}, ${said}`;
}

/** Bytes of a result as JSON. */
export function sizeOf({ content, structuredContent = null }: CallToolResult): number {
  return Buffer.byteLength(JSON.stringify({ content, structuredContent }));
}

/** At most so many characters, without what hides in them. */
export function excerptOf(text: string, chars: number): string {
  const clean = cleanText(text).trim();
  return clean.length > chars ? `${clean.slice(0, chars).toWellFormed()}…` : clean;
}

function kibOf(base64: string): string {
  return `${Math.ceil((base64.length * 3) / 4 / 1024)} KiB`;
}
