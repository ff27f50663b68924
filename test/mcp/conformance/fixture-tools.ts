import { setTimeout as delay } from "node:timers/promises";
import {
  fromJsonSchema,
  inputRequired,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import { audio, image } from "./fixture-content.ts";

const text = (said: string) => ({ type: "text" as const, text: said });

/** The tools that the suite calls for what they answer and what they tell meanwhile. */
export function addTools(server: McpServer, changed: { toolsChanged(): void; promptsChanged(): void }): void {
  const answers = (name: string, content: object[]) =>
    server.registerTool(name, { description: `Answers what ${name} is to answer` }, () => ({
      content: content as never,
    }));
  answers("test_simple_text", [text("This is a simple text response for testing.")]);
  answers("test_image_content", [image]);
  answers("test_audio_content", [audio]);
  answers("test_embedded_resource", [
    {
      type: "resource",
      resource: {
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      },
    },
  ]);
  answers("test_multiple_content_types", [
    text("Multiple content types test:"),
    image,
    {
      type: "resource",
      resource: {
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      },
    },
  ]);

  server.registerTool("test_error_handling", { description: "Fails" }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });

  server.registerTool("test_tool_with_progress", { description: "Says how far it is" }, async (ctx) => {
    for (const progress of [0, 50, 100]) {
      await tellProgress(ctx, progress);
      await delay(5);
    }
    return { content: [text("All of it is done.")] };
  });

  // In the modern era a request says itself whether it wants to hear of logs; the SDK heeds it.
  for (const name of ["test_tool_with_logging", "test_logging_tool"]) {
    server.registerTool(name, { description: "Logs what it does" }, async ({ mcpReq }) => {
      for (const said of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await mcpReq.log("info", said);
        await delay(5);
      }
      return { content: [text("It is done.")] };
    });
  }

  server.registerTool("test_trigger_tool_change", { description: "Acts as if the tools had changed" }, () => {
    changed.toolsChanged();
    return { content: [text("They are told.")] };
  });
  server.registerTool("test_trigger_prompt_change", { description: "Acts as if the prompts had" }, () => {
    changed.promptsChanged();
    return { content: [text("They are told.")] };
  });

  server.registerTool(
    "test_streaming_elicitation",
    { description: "Tells, then asks" },
    async ({ mcpReq }) => {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken: 0, progress: 1 } });
      return inputRequired({ inputRequests: { name: nameQuestion() } });
    },
  );

  server.registerTool("test_missing_capability", { description: "Needs a client that samples" }, () =>
    inputRequired({ inputRequests: { said: inputRequired.createMessage(sampled("Say something", 10)) } }),
  );

  server.registerTool(
    "test_x_mcp_header",
    {
      description: "Takes a region that is in a header too",
      inputSchema: fromJsonSchema({
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
      } as never),
    },
    (args) => ({ content: [text(JSON.stringify(args))] }),
  );

  server.registerTool(
    "json_schema_2020_12_tool",
    {
      description: "Has a schema with all that 2020-12 knows",
      inputSchema: fromJsonSchema(richSchema as never),
    },
    () => ({ content: [text("It fits.")] }),
  );
}

async function tellProgress({ mcpReq }: ServerContext, progress: number): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
}

export function nameQuestion() {
  return inputRequired.elicit({
    message: "What is your name?",
    requestedSchema: z.object({ name: z.string() }),
  });
}

export function sampled(prompt: string, maxTokens: number) {
  return { messages: [{ role: "user" as const, content: text(prompt) }], maxTokens };
}

const richSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};
