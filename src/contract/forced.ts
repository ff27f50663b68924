import Type from "typebox";

/** The query of deletions. Not among the shapes that the API's description names: it shows queries field by field. */
export const Forced = Type.Object({
  force: Type.Optional(Type.Boolean({ default: false, description: "Also when jobs refer to it." })),
});
