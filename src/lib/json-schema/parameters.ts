import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { runWithin, TookTooLong } from "../run-within.ts";
import { faultsOf, schemaFaultsOf, suggest } from "./messages.ts";
import { type SchemaFault, type SchemaTraits, schemaLimits, walkSchema } from "./walk.ts";

/** Checks the parameters of a start, and fills in defaults. The value given is not touched. */
export type ReadParameters = (given: Record<string, unknown>) => {
  value: Record<string, unknown>;
  faults: SchemaFault[];
};

type Schema = Record<string, unknown>;

// What the slowest honest value needs is a fraction of it; a pattern that explodes would take hours.
const VALIDATE_MS = 100;
const COMPILE_MS = 2000;
const FOREIGN_COMPILE_MS = 250;

// Ajv keeps some 4 kB of every schema it has compiled, removed or not.
const COMPILES = 500;

let shared: Ajv2020 | undefined;
let compiles = 0;

/** One for all schemas: the meta-schema takes 40 ms to compile. Schemas are forgotten as soon as they are compiled. */
function ajv(): Ajv2020 {
  if (shared) return shared;
  shared = new Ajv2020({
    allErrors: true,
    useDefaults: true,
    addUsedSchema: false,
    // walkSchema says what is unknown, all of it and with its place; Ajv would stop at the first.
    strict: false,
    logger: false,
  });
  addFormats.default(shared);
  return shared;
}

/** The faults of a schema for parameters, each with its JSON pointer; none means that `compileParameters` takes it. */
export function parametersFaults(schema: Schema): SchemaFault[] {
  if (JSON.stringify(schema).length > schemaLimits.characters) {
    return [{ path: "", message: `is longer than ${schemaLimits.characters} characters.` }];
  }
  const { faults, traits } = walkSchema(schema, Object.keys(ajv().formats));
  // Ajv recurses: what is too deep must not reach it.
  if (faults.some(({ message }) => message.startsWith("is too large"))) return faults;
  if (schema.type !== undefined && schema.type !== "object") {
    faults.push({ path: "/type", message: 'must be "object": the parameters of a job have names.' });
  }
  const { $schema: _, ...rest } = schema;
  if (!ajv().validateSchema(rest)) {
    const known = new Set(faults.map(({ path }) => path));
    faults.push(...schemaFaultsOf(ajv().errors ?? []).filter(({ path }) => !known.has(path)));
  }
  return faults.length > 0 ? faults : compiledFaults(schema, traits);
}

/** The names of the parameters, when the schema lets in no others. */
export function closedNames(schema: Schema | undefined): string[] | undefined {
  if (schema?.additionalProperties !== false || "patternProperties" in schema) return undefined;
  return Object.keys((schema.properties as object | undefined) ?? {});
}

/** What only shows when it is compiled: references and patterns that lead nowhere, defaults that don't fit. */
function compiledFaults(schema: Schema, traits: SchemaTraits): SchemaFault[] {
  let validate: ValidateFunction;
  try {
    validate = compile(schema);
  } catch (error) {
    return [{ path: "", message: `can't be used: ${(error as Error).message}.` }];
  }
  if (!traits.hasDefaults) return [];
  const { faults } = run(validate, traits, {});
  return faults
    .filter(({ message }) => message !== "is required.")
    .map(({ path, message }) => ({
      path: pathOfDefault(path),
      message: `does not fit its own schema: it ${message}`,
    }));
}

function pathOfDefault(path: string): string {
  return `${path
    .split("/")
    .slice(1)
    .map((name) => `/properties/${name}`)
    .join("")}/default`;
}

/**
 * Compiles a schema that has no faults. Without one, any parameters are taken. `whose`: what faults say they are of. `foreign`: a
 * stranger wrote it and nobody looked at it; it may not compile, and throws then.
 */
export function compileParameters(
  schema: Schema | undefined,
  { whose = "this job", foreign = false } = {},
): ReadParameters {
  if (schema === undefined || Object.keys(schema).length === 0) return (value) => ({ value, faults: [] });
  const { traits } = walkSchema(schema, Object.keys(ajv().formats));
  // What costs much may stand where only older drafts look.
  if (foreign) traits.costly = true;
  const validate = compile(schema, foreign ? FOREIGN_COMPILE_MS : COMPILE_MS);
  const known = Object.keys((schema.properties as object | undefined) ?? {});
  return (given) => {
    // Defaults are written into it, and the sender's body is still compared with others (Idempotency-Key).
    const value = traits.hasDefaults ? structuredClone(given) : given;
    const { faults } = run(validate, traits, value);
    return { value, faults: faults.map((fault) => suggest(fault, known, whose)) };
  };
}

function compile(schema: Schema, limitMs = COMPILE_MS): ValidateFunction {
  const { $schema: _, ...own } = structuredClone(schema);
  if (++compiles % COMPILES === 0) shared = undefined;
  try {
    return runWithin(limitMs, () => ajv().compile(own));
  } catch (error) {
    // It may have been stopped halfway.
    if (error instanceof TookTooLong) shared = undefined;
    throw error;
  } finally {
    shared?.removeSchema(own);
  }
}

function run(validate: ValidateFunction, traits: SchemaTraits, value: unknown): { faults: SchemaFault[] } {
  try {
    const valid = traits.costly ? runWithin(VALIDATE_MS, () => validate(value)) : validate(value);
    return { faults: valid ? [] : faultsOf((validate.errors ?? []) as ErrorObject[]) };
  } catch (error) {
    if (error instanceof TookTooLong || error instanceof RangeError) {
      return {
        faults: [{ path: "", message: `can't be checked against the schema within ${VALIDATE_MS} ms.` }],
      };
    }
    throw error;
  }
}
