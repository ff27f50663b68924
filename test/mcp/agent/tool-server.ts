import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import { listening } from "../hostile.ts";

/** A call that came: before anything follows from it. */
export interface Call {
  tool: string;
  args: object;
}

type Listener = (call: Call) => unknown;

/**
 * A real MCP server in this process, of both eras, that writes down what it is asked to do. `on` is told of each call before it is
 * answered, and may hold it up; `words` stand in the description of `note`.
 */
export async function toolServer({ legacy = true } = {}) {
  const ledger: Call[] = [];
  const state = { words: "Writes a note down", on: (() => {}) as Listener, authorization: "" };
  const text = (said: string, isError = false) => ({
    content: [{ type: "text" as const, text: said }],
    isError,
  });

  const handler = createMcpHandler(
    () => {
      const server = new McpServer({ name: "tools", version: "1.0.0" });
      const add = (
        name: string,
        description: string,
        annotations: object,
        answer: (note: string) => string,
      ) =>
        server.registerTool(
          name,
          { description, annotations, inputSchema: z.object({ text: z.string() }) },
          async (args) => {
            const call = { tool: name, args };
            ledger.push(call);
            await state.on(call);
            return text(answer(args.text));
          },
        );
      add("note", state.words, { readOnlyHint: false }, (note) => `Noted: ${note}`);
      add("look", "Looks something up", { readOnlyHint: true }, (note) => `Found: ${note}`);
      server.registerTool(
        "large",
        { description: "Says much", inputSchema: z.object({ bytes: z.number() }) },
        ({ bytes }) => text("x".repeat(bytes)),
      );
      server.registerTool("reveal", { description: "Says what it was sent", inputSchema: z.object({}) }, () =>
        text(`You sent ${state.authorization}`, true),
      );
      return server;
    },
    legacy ? {} : { legacy: "reject" },
  );
  const node = toNodeHandler(handler);
  const server = await listening(
    createServer((request, response) => {
      state.authorization = request.headers.authorization ?? "";
      return node(request, response);
    }),
    () => handler.close(),
  );
  return Object.assign(server, {
    ledger,
    state,
    count: (tool: string) => ledger.filter((call) => call.tool === tool).length,
  });
}
