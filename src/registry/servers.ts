import { isDeepStrictEqual } from "node:util";
import type { Usage } from "../contract/configuration.ts";
import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { McpServerInput, McpTool } from "../contract/mcp-server.ts";
import { isUniqueViolation } from "../db/faults.ts";
import type { Principal } from "../http/principal.ts";
import { throwFaults } from "../http/validate.ts";
import { newId } from "../lib/ids.ts";
import type { Vault } from "../vault/vault.ts";
import { authFaults, requiredSecrets } from "./auth-rules.ts";
import { type Config, type Former, sealConfig } from "./secrets.ts";
import type { ServerRow, ServerStore, ServerTexts } from "./store.ts";

export interface ServerDeps {
  store: ServerStore;
  vault: Vault;
  /** The jobs whose steps name this server by its id or name; those the principal may not see are counted only. */
  usageOf(principal: Principal, server: { id: string; name: string }): Promise<Usage>;
}

/** @throws ApiError VALIDATION_FAILED, CONFLICT (the name is taken) */
export async function registerServer(
  { store, vault }: ServerDeps,
  principal: Principal,
  input: McpServerInput,
): Promise<ServerRow> {
  const { authType = "NONE", authConfig = {} } = input;
  throwFaults([...textFaults(input), ...authFaults(authType, authConfig)]);
  const id = newId();
  const sealed = sealConfig(vault, id, authConfig);
  const made = { ...textsOf(id, principal, input), authType, authConfig: sealed };
  await refusingTakenNames(store, made.name, () => store.insert(made));
  return readServer(store, id);
}

/** @throws ApiError NOT_FOUND */
export async function readServer(store: ServerStore, id: string): Promise<ServerRow> {
  const found = await store.find(id);
  if (!found) throw noSuchServer();
  return found;
}

/** @throws ApiError VALIDATION_FAILED, NOT_FOUND, CONFLICT (the name is taken), SECRET_REENTRY_REQUIRED */
export async function replaceServer(
  { store, vault }: ServerDeps,
  principal: Principal,
  id: string,
  input: McpServerInput,
): Promise<ServerRow> {
  throwFaults(textFaults(input));
  const texts = textsOf(id, principal, input);
  await refusingTakenNames(store, texts.name, () =>
    store.transaction(async (client) => {
      const row = await store.lock(client, id);
      if (!row) throw noSuchServer();
      const authType = input.authType ?? row.authType;
      const config = mergedConfig(row, authType, input.authConfig);
      throwFaults(authFaults(authType, config));
      const former: Former = {
        config: authType === row.authType ? row.authConfig : {},
        sameOrigin: new URL(texts.url).origin === new URL(row.url).origin,
      };
      const authConfig = sealConfig(vault, id, config, former);
      const moved =
        texts.url !== row.url || authType !== row.authType || !isDeepStrictEqual(authConfig, row.authConfig);
      await store.update(client, { ...texts, authType, authConfig }, moved);
    }),
  );
  return readServer(store, id);
}

/** The authConfig that a PUT means: what it leaves out stays, as long as it is of the same type. */
function mergedConfig(row: ServerRow, authType: string, given: Config | undefined): Config {
  if (authType !== row.authType) return given ?? {};
  if (given === undefined) return row.authConfig;
  const merged = { ...given };
  for (const key of requiredSecrets(row.authType)) merged[key] ??= row.authConfig[key];
  return merged;
}

/** @throws ApiError NOT_FOUND, INVALID_STATE (a step of a job names it) */
export async function deleteServer(
  { store, usageOf }: ServerDeps,
  principal: Principal,
  id: string,
  force: boolean,
): Promise<ServerRow> {
  const server = await readServer(store, id);
  if (!force) requireUnused(await usageOf(principal, server));
  if (!(await store.remove(id))) throw noSuchServer();
  return server;
}

/** @throws ApiError NOT_FOUND */
export async function readTools(
  store: ServerStore,
  id: string,
  { page = 0, size = 100 }: { page?: number; size?: number },
): Promise<{ tools: McpTool[]; total: number; page: number; size: number }> {
  const { toolCount } = await readServer(store, id);
  return { tools: await store.toolPage(id, page, size), total: toolCount, page, size };
}

function textsOf(
  id: string,
  principal: Principal,
  { name, url, description = "", tags = [] }: McpServerInput,
): Omit<ServerTexts, "authType" | "authConfig"> {
  return { id, name: name.trim(), url, description, tags, by: principal.name, at: new Date() };
}

function textFaults({ name, url }: McpServerInput): FaultDetail[] {
  const faults: FaultDetail[] = [];
  if (name.trim() === "") faults.push({ path: "/name", message: "must not be empty." });
  const parsed = URL.parse(url);
  const add = (message: string) => faults.push({ path: "/url", message });
  if (!parsed || (parsed.protocol !== "http:" && parsed.protocol !== "https:") || /[\s\\]/.test(url)) {
    add("must be an absolute http or https URL, such as https://mcp.example.org/mcp.");
  } else if (parsed.username !== "" || parsed.password !== "") {
    add("must not have a user or password in it: they belong in authConfig (authType BASIC).");
  } else if (parsed.hash !== "" || url.includes("#")) {
    add("must not have a fragment (#…): a server never sees it.");
  }
  return faults;
}

async function refusingTakenNames(
  store: ServerStore,
  name: string,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error, "mcp_server_name_key")) throw error;
    const other = await store.findByName(name);
    const which = other ? ` It has the id ${other.id}.` : "";
    throw new ApiError(
      "CONFLICT",
      `There is an MCP server named "${other?.name ?? name}" already.${which} Choose another name.`,
      {
        ...(other ? { details: [{ path: "/name", message: `is the name of ${other.id}.` }] } : {}),
      },
    );
  }
}

function requireUnused({ jobs, totalJobs }: Usage): void {
  if (totalJobs === 0) return;
  const names = jobs.slice(0, 5).map(({ name, steps }) => `"${name}" (${steps.join(", ")})`);
  const others = totalJobs - names.length;
  const listed = names.length > 0 ? names.join(", ") : others === 1 ? "1 job" : `${others} jobs`;
  const more = names.length > 0 && others > 0 ? ` and ${others} more` : "";
  throw new ApiError(
    "INVALID_STATE",
    `The MCP server is used by ${listed}${more}. Take it out of them first, or delete it nevertheless with ?force=true.`,
  );
}

function noSuchServer(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such MCP server.");
}
