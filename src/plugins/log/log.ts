import Type from "typebox";
import { defineStepType } from "../plugin.ts";

const Message = Type.Unknown({
  title: "Message",
  description: "Text, or any value: what is not text is written as JSON.",
});

export const log = defineStepType({
  name: "log",
  title: "Write to the log",
  description: "Writes one line to the step's log.",
  input: Type.Object(
    {
      message: Message,
      level: Type.Optional(
        Type.Enum(["debug", "info", "warn", "error"], {
          title: "Level",
          description: "How much it matters.",
          default: "info",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ message: Type.String({ description: "The line as it was written." }) }),
  async run({ input, log }) {
    const message = typeof input.message === "string" ? input.message : JSON.stringify(input.message);
    log(input.level ?? "info", message);
    return { message };
  },
});
