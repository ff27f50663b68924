import type { TSchema } from "typebox";
import type { StepTypeInfo } from "../contract/job.ts";
import { type Checker, checker } from "../http/validate.ts";

/** What this part needs to know of a step type. */
export interface KnownStepType {
  name: string;
  title: string;
  description: string;
  input: TSchema;
  output: TSchema;
  /** Input fields whose strings are not templates. */
  verbatim?: readonly string[];
  connectionTypes?: readonly string[];
  connectionRequired?: boolean;
  check?(input: Record<string, unknown>, more?: { connected: boolean }): InputFault[] | Promise<InputFault[]>;
  variables?(input: Record<string, unknown>): string[];
  references?(input: Record<string, unknown>): ResourceReference[];
}

/** A record that an input names, of the configuration service or the registry; without a name only the right to it is looked at. */
export interface ResourceReference {
  kind: ResourceKind;
  access: "read" | "upsert";
  name?: string | undefined;
  path: string;
}

export type ResourceKind = "certificate" | "dataset" | "file" | "apiTemplate" | "mcpServer";

interface InputFault {
  path: string;
  message: string;
}

/** The step types by name, their inputs' schemas compiled. */
export type StepTypes = ReadonlyMap<string, KnownStepType & { checkInput: Checker<TSchema> }>;

export function stepTypesByName(types: Iterable<KnownStepType>): StepTypes {
  // A type that is a class instance would lose its methods in a spread.
  return new Map(
    Array.from(types, (type) => [
      type.name,
      Object.assign(Object.create(type), { checkInput: checker(type.input) }),
    ]),
  );
}

export function presentStepType(type: KnownStepType): StepTypeInfo {
  const { name, title, description, input, output, connectionTypes = [], connectionRequired = false } = type;
  return {
    name,
    title,
    description,
    input: { ...input },
    output: { ...output },
    connectionTypes: [...connectionTypes],
    connectionRequired,
  };
}
