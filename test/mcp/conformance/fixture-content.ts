import { completable, type McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import * as z from "zod/v4";

/** A PNG of one pixel. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** A WAV file without a sample. */
const wav = Buffer.from(
  "524946462400000057415645666d74201000000001000100401f0000803e0000020010006461746100000000",
  "hex",
).toString("base64");

export const image = { type: "image" as const, data: png, mimeType: "image/png" };
export const audio = { type: "audio" as const, data: wav, mimeType: "audio/wav" };

/** The resources and prompts that the suite reads. */
export function addContent(server: McpServer): void {
  const resource = (
    name: string,
    uri: string,
    content: { mimeType: string } & ({ text: string } | { blob: string }),
  ) =>
    server.registerResource(
      name,
      uri,
      { description: `The resource ${uri}`, mimeType: content.mimeType },
      () => ({
        contents: [{ uri, ...content }],
      }),
    );
  const plain = "text/plain";
  resource("static-text", "test://static-text", {
    mimeType: plain,
    text: "This is the content of the static text resource.",
  });
  resource("static-binary", "test://static-binary", { mimeType: "image/png", blob: png });
  resource("watched", "test://watched-resource", { mimeType: plain, text: "Watched" });
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Data by its id", mimeType: "application/json" },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );

  const said = (content: object) => ({ role: "user" as const, content: content as never });
  const text = (words: string) => said({ type: "text", text: words });
  server.registerPrompt("test_simple_prompt", { description: "Without arguments" }, () => ({
    messages: [text("This is a simple prompt for testing.")],
  }));
  const argument = completable(z.string(), (begun) =>
    ["paris", "park", "party"].filter((it) => it.startsWith(begun)),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With two arguments", argsSchema: z.object({ arg1: argument, arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        said({
          type: "resource",
          resource: { uri, mimeType: plain, text: "Embedded resource content for testing." },
        }),
        text("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "With an image" }, () => ({
    messages: [said(image), text("Please analyze the image above.")],
  }));
}
