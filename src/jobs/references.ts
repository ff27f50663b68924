import type { ConnectionType } from "../contract/connection.ts";
import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { JobInput, StepInput } from "../contract/job.ts";
import { holds, type Principal } from "../http/principal.ts";
import type { ResourceKind, StepTypes } from "./step-type.ts";
import { variablesOf } from "./variables.ts";

/** The connections and variables there are, as far as a job that refers to them is concerned. */
export interface KnownReferences {
  findConnection(
    which: { id: string } | { name: string; connectionType: ConnectionType },
  ): Promise<{ id: string; name: string; connectionType: ConnectionType } | undefined>;
  /** Of these names those that are global variables. */
  findVariables(names: readonly string[]): Promise<ReadonlySet<string>>;
  hasRecord(kind: ResourceKind, idOrName: string): Promise<boolean>;
}

interface ReferenceDeps {
  types: StepTypes;
  references: KnownReferences;
}

const CONNECTIONS = "ConfigService:Connection:read";
const VARIABLES = "ConfigService:GlobalVariable:read";

type Steps = { steps: StepInput[] };

/**
 * Checks the connections and variables that a job refers to, and gives the job with its connections by id. Who saves a job
 * that uses them must be allowed to read them: the job hands on what they hold.
 * @throws ApiError FORBIDDEN, VALIDATION_FAILED
 */
export async function requireReferences<Input extends Pick<JobInput, "steps">>(
  deps: ReferenceDeps,
  principal: Principal,
  input: Input,
): Promise<Input> {
  requireRights(principal, CONNECTIONS, "connections", placesOfConnections(input));
  const variables = await unknownVariables(deps, principal, input);
  const connections = await Promise.all(input.steps.map((step, i) => resolved(deps, step, `/steps/${i}`)));
  const records = await recordFaults(deps, principal, input);
  const faults = [...connections.flatMap(({ faults }) => faults), ...variables, ...records];
  if (faults.length > 0) {
    throw new ApiError(
      "VALIDATION_FAILED",
      `The job is not valid: ${faults[0]!.path} ${faults[0]!.message}`,
      {
        details: faults,
      },
    );
  }
  return { ...input, steps: connections.map(({ step }) => step) };
}

/** The path has the number of the step only. */
const of = ({ key }: StepInput) => `of step "${key}"`;

function placesOfConnections({ steps }: Steps): string[] {
  return steps.flatMap(({ connection, connectionId }, i) => {
    if (connection) return [`/steps/${i}/connection`];
    return connectionId === undefined ? [] : [`/steps/${i}/connectionId`];
  });
}

function requireRights(
  principal: Principal,
  authority: string,
  what: string,
  paths: readonly string[],
): void {
  if (paths.length === 0 || holds(principal, authority)) return;
  throw new ApiError("FORBIDDEN", `To save a job that uses ${what} you need the authority ${authority}.`, {
    details: paths.map((path) => ({ path, message: `needs the authority ${authority}.` })),
  });
}

async function unknownVariables(
  deps: ReferenceDeps,
  principal: Principal,
  { steps }: Steps,
): Promise<FaultDetail[]> {
  const named = steps.flatMap((step, i) =>
    variablesOf(step, deps.types).map((each) => ({ ...each, step, path: `/steps/${i}${each.path}` })),
  );
  if (named.length === 0) return [];
  const known = await deps.references.findVariables([...new Set(named.map(({ name }) => name))]);
  // Code may mean something else by vars.x: only where there is such a variable it is taken for one.
  const meant = named.filter(({ inCode, name }) => !inCode || known.has(name));
  requireRights(principal, VARIABLES, "global variables", [...new Set(meant.map(({ path }) => path))]);
  return meant
    .filter(({ name }) => !known.has(name))
    .map(({ name, step, path }) => ({
      path,
      message: `${of(step)} names the global variable "${name}", and there is none.`,
    }));
}

const RECORDS: Record<ResourceKind, { of: string; noun: string; plural: string }> = {
  certificate: { of: "ConfigService:Certificate", noun: "certificate", plural: "certificates" },
  dataset: { of: "ConfigService:Dataset", noun: "dataset", plural: "datasets" },
  file: { of: "ConfigService:File", noun: "file", plural: "files" },
  apiTemplate: { of: "ConfigService:ApiTemplate", noun: "API template", plural: "API templates" },
  mcpServer: { of: "AiService:McpServer", noun: "MCP server", plural: "MCP servers" },
};

async function recordFaults(
  { types, references }: ReferenceDeps,
  principal: Principal,
  { steps }: Steps,
): Promise<FaultDetail[]> {
  const named = steps.flatMap((step, i) =>
    (types.get(step.type)?.references?.(step.input ?? {}) ?? []).map((each) => ({
      ...each,
      step,
      path: `/steps/${i}/input${each.path}`,
    })),
  );
  for (const { kind, access, path } of named) {
    const { of, plural } = RECORDS[kind];
    requireRights(principal, `${of}:${access}`, plural, [path]);
  }
  const faults = await Promise.all(
    named.map(async ({ kind, name, step, path }) => {
      if (name === undefined || (await references.hasRecord(kind, name))) return [];
      return [{ path, message: `${of(step)} names the ${RECORDS[kind].noun} "${name}", and there is none.` }];
    }),
  );
  return faults.flat();
}

async function resolved(
  { types, references }: ReferenceDeps,
  step: StepInput,
  at: string,
): Promise<{ step: StepInput; faults: FaultDetail[] }> {
  const { connection, ...rest } = step;
  const which = connection ?? (step.connectionId === undefined ? undefined : { id: step.connectionId });
  if (!which) return { step: rest, faults: [] };
  const path = connection ? `${at}/connection` : `${at}/connectionId`;
  const found = await references.findConnection(which);
  if (!found)
    return { step: rest, faults: [{ path, message: `${of(step)} names a connection that is not there.` }] };
  const takes = types.get(step.type)?.connectionTypes ?? [];
  if (!takes.includes(found.connectionType)) {
    const message = `${of(step)} is of the type ${found.connectionType}, and a ${step.type} step takes ${takes.join(" or ")}.`;
    return { step: rest, faults: [{ path, message }] };
  }
  return { step: { ...rest, connectionId: found.id }, faults: [] };
}
