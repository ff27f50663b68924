import Type, { type Static } from "typebox";
import { StepError } from "../../lib/step-error.ts";
import { defineStepType, type InputFault } from "../plugin.ts";
import { askerOf, requireNoSecret, type StepResources } from "../resources.ts";

const MIB = 1024 * 1024;
const BODIES = ["json", "text", "binary"] as const;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

const FileInput = Type.Object(
  {
    file: Type.String({
      minLength: 1,
      maxLength: 200,
      title: "File",
      description: "Its name, or its id where it is read.",
    }),
    action: Type.Optional(
      Type.Enum(["read", "write"], {
        title: "Action",
        default: "read",
        description: "read gives the content, write keeps one in the place of what was there.",
      }),
    ),
    as: Type.Optional(
      Type.Enum(["auto", "json", "text", "binary"], {
        title: "Read as",
        default: "auto",
        description: "Of read: auto goes by the content type. binary gives base64.",
      }),
    ),
    maxBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 16 * MIB,
        default: MIB,
        title: "Largest file (bytes)",
        description: "Of read: a larger one fails the step. The limit on a step's output still applies.",
      }),
    ),
    json: Type.Optional(Type.Unknown({ title: "Content as JSON", description: "Of write: any value." })),
    text: Type.Optional(
      Type.String({ title: "Content as text", description: "Of write: kept as it is, in UTF-8." }),
    ),
    binary: Type.Optional(Type.String({ title: "Content as bytes", description: "Of write: in base64." })),
    contentType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        title: "Content type",
        description: "Of write; what json, text or binary is when left out.",
      }),
    ),
    onExisting: Type.Optional(
      Type.Enum(["replace", "fail"], {
        title: "When there is one",
        default: "replace",
        description: "Of write.",
      }),
    ),
  },
  { additionalProperties: false },
);
type FileInput = Static<typeof FileInput>;

const OF_READ = ["as", "maxBytes"] as const;
const OF_WRITE = [...BODIES, "contentType", "onExisting"] as const;

export function file(resources: StepResources) {
  return defineStepType({
    name: "file",
    title: "File",
    description: "Reads a file of the configuration service, or writes one.",
    input: FileInput,
    output: Type.Object({
      id: Type.String(),
      name: Type.String(),
      contentType: Type.String(),
      size: Type.Integer({ description: "In bytes." }),
      sha256: Type.String({ description: "Of the bytes, in hex." }),
      content: Type.Optional(Type.Unknown({ description: "Of read: parsed JSON, text, or base64." })),
    }),
    async run({ input, scope, signal, mask }) {
      const asker = askerOf({ scope, signal });
      const fault = inputFaults(input)[0];
      if (fault) throw invalid(`${fault.path.slice(1)} ${fault.message}`);
      if (input.action === "write") {
        const { bytes, type } = contentOf(input);
        const { file: name, contentType = type, onExisting } = input;
        requireNoSecret(
          mask,
          "The file",
          name,
          input.binary ?? "",
          bytes.toString(),
          bytes.toString("latin1"),
        );
        return described(await resources.writeFile({ name, contentType, onExisting }, bytes, asker));
      }
      const { as = "auto", maxBytes = MIB } = input;
      const { file: found, bytes } = await resources.openFile(input.file, asker);
      if (found.size > maxBytes) throw tooLarge(found, maxBytes);
      const pieces: Uint8Array[] = [];
      for await (const piece of bytes) {
        signal.throwIfAborted();
        pieces.push(piece);
      }
      const whole = Buffer.concat(pieces);
      return { ...described(found), content: decoded(whole, as === "auto" ? typeOf(found) : as, found.name) };
    },
    check: inputFaults,
    // What is read may be written by an earlier step: it need not be there when the job is saved.
    references: ({ action }) => [
      { kind: "file", access: action === "write" ? "upsert" : "read", path: "/file" },
    ],
  });
}

type Kept = { id: string; name: string; contentType: string; size: number; sha256: string };

function described({ id, name, contentType, size, sha256 }: Kept): Kept {
  return { id, name, contentType, size, sha256 };
}

function contentOf({ json, text, binary }: FileInput): { bytes: Buffer; type: string } {
  if (text !== undefined) return { bytes: Buffer.from(text), type: "text/plain; charset=utf-8" };
  if (binary !== undefined) return { bytes: Buffer.from(binary, "base64"), type: "application/octet-stream" };
  return { bytes: Buffer.from(JSON.stringify(json)), type: "application/json" };
}

function typeOf({ contentType }: Kept): "json" | "text" | "binary" {
  const mime = contentType.split(";")[0]!.trim().toLowerCase();
  if (/^(application|text)\/(json|[^;]+\+json)$/.test(mime)) return "json";
  return /^(text\/.*|application\/(xml|yaml|x-yaml|javascript|x-ndjson|.*\+xml))$/.test(mime)
    ? "text"
    : "binary";
}

function decoded(bytes: Buffer, as: "json" | "text" | "binary", name: string): unknown {
  if (as === "binary") return bytes.toString("base64");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (as === "text") return text;
  } catch (cause) {
    const message = `The file "${name}" is not text in UTF-8. Read it as binary.`;
    throw new StepError("CONTENT_INVALID", message, { retryable: false, cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `The file "${name}" is not JSON: ${(cause as Error).message}. Read it as text.`;
    throw new StepError("CONTENT_INVALID", message, { retryable: false, cause });
  }
}

function inputFaults(input: Record<string, unknown>): InputFault[] {
  const writes = input.action === "write";
  const foreign = (writes ? OF_READ : OF_WRITE).filter((name) => input[name] !== undefined);
  const faults = foreign.map((name) => ({
    path: `/${name}`,
    message: `is for action ${writes ? "read" : "write"}.`,
  }));
  if (!writes) return faults;
  const bodies = BODIES.filter((name) => input[name] !== undefined);
  if (bodies.length === 0)
    faults.push({ path: "/text", message: "is required to write: or json, or binary." });
  if (bodies.length > 1) {
    faults.push({
      path: `/${bodies[1]}`,
      message: `is a second content: give only one of ${BODIES.join(", ")}.`,
    });
  }
  const { binary } = input;
  if (typeof binary === "string" && !binary.includes("{{") && !BASE64.test(binary)) {
    faults.push({ path: "/binary", message: "must be base64." });
  }
  return faults;
}

function tooLarge({ name, size }: Kept, limit: number): StepError {
  const message = `The file "${name}" has ${size} bytes, and the limit is ${limit}. Raise maxBytes, or keep less in it.`;
  return new StepError("RESULT_TOO_LARGE", message, { retryable: false });
}

function invalid(message: string): StepError {
  return new StepError("INVALID_INPUT", `The file can't be written or read: ${message}`, {
    retryable: false,
  });
}
