import {
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import { nameQuestion, sampled } from "./fixture-tools.ts";

export const states = createRequestStateCodec<{ round: number }>({ key: new Uint8Array(32), ttlSeconds: 60 });

const Name = z.object({ name: z.string() });
const Colour = z.object({ color: z.string() });
const Ok = z.object({ ok: z.boolean() });
const Context = z.object({ context: z.string() });

const done = (text: string) => ({ content: [{ type: "text" as const, text }] });
const ask = (message: string, requestedSchema: z.ZodObject) =>
  inputRequired.elicit({ message, requestedSchema });

/** Tools and a prompt that need something of the client before they answer. */
export function addInputs(server: McpServer): void {
  const tool = (name: string, run: (ctx: ServerContext) => unknown) =>
    server.registerTool(`test_input_required_result_${name}`, { description: `Asks: ${name}` }, run as never);

  tool("elicitation", ({ mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, "user_name", Name);
    return answer
      ? done(`Hello, ${answer.name}!`)
      : inputRequired({ inputRequests: { user_name: nameQuestion() } });
  });

  tool("sampling", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "capital_question");
    if (answer.kind === "sampling") return done(JSON.stringify(answer.result.content));
    const question = inputRequired.createMessage(sampled("What is the capital of France?", 100));
    return inputRequired({ inputRequests: { capital_question: question } });
  });

  tool("list_roots", ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "client_roots");
    if (answer.kind === "roots") return done(answer.roots.map(({ uri }) => uri).join(", "));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });

  for (const name of ["request_state", "tampered_state"]) {
    tool(name, async ({ mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, "confirm", Ok);
      if (answer && mcpReq.requestState<{ round: number }>()?.round === 1) return done("state-ok");
      return inputRequired({
        inputRequests: { confirm: ask("Please confirm", Ok) },
        requestState: await states.mint({ round: 1 }),
      });
    });
  }

  tool("multiple_inputs", async ({ mcpReq }) => {
    const kinds = ["user_name", "greeting", "client_roots"].map(
      (key) => inputResponse(mcpReq.inputResponses, key).kind,
    );
    if (kinds.join() === "elicit,sampling,roots") return done("All three are there.");
    return inputRequired({
      inputRequests: {
        user_name: nameQuestion(),
        greeting: inputRequired.createMessage(sampled("Generate a greeting", 50)),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint({ round: 1 }),
    });
  });

  tool("multi_round", async ({ mcpReq }) => {
    const round = mcpReq.requestState<{ round: number }>()?.round ?? 0;
    if (round === 1 && acceptedContent(mcpReq.inputResponses, "step1", Name)) {
      return inputRequired({
        inputRequests: { step2: ask("Step 2: What is your favorite color?", Colour) },
        requestState: await states.mint({ round: 2 }),
      });
    }
    if (round === 2 && acceptedContent(mcpReq.inputResponses, "step2", Colour))
      return done("Both are there.");
    return inputRequired({
      inputRequests: { step1: ask("Step 1: What is your name?", Name) },
      requestState: await states.mint({ round: 1 }),
    });
  });

  tool("capabilities", ({ mcpReq }) => {
    const envelope = mcpReq.envelope as Record<string, Record<string, unknown>> | undefined;
    const can = envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
    return inputRequired({
      inputRequests: {
        ...(can.sampling ? { said: inputRequired.createMessage(sampled("Say something", 10)) } : {}),
        ...(can.elicitation ? { user_name: nameQuestion() } : {}),
        ...(can.roots ? { client_roots: inputRequired.listRoots() } : {}),
      },
    });
  });

  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks for its context" },
    ({ mcpReq }) => {
      const answer = acceptedContent(mcpReq.inputResponses, "user_context", Context);
      if (!answer) {
        const question = ask("What context should the prompt use?", Context);
        return inputRequired({ inputRequests: { user_context: question } });
      }
      return { messages: [{ role: "user", content: { type: "text", text: answer.context } }] };
    },
  );
}
