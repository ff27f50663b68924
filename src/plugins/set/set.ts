import Type from "typebox";
import { defineStepType } from "../plugin.ts";

const Values = Type.Record(Type.String(), Type.Unknown(), {
  title: "Values",
  description: "Names and their values; each may be a {{ CEL }} expression, whose type is kept.",
});

export const set = defineStepType({
  name: "set",
  title: "Set values",
  description: "Works out values once and keeps them under names, for later steps to use.",
  input: Type.Object({ values: Values }, { additionalProperties: false }),
  output: Type.Record(Type.String(), Type.Unknown(), { description: "The values, by name." }),
  async run({ input }) {
    return input.values;
  },
});
