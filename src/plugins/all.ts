import type { Dialer } from "../lib/dialer.ts";
import { aiAgent } from "./ai-agent/ai-agent.ts";
import { approval } from "./approval/approval.ts";
import { dataset } from "./dataset/dataset.ts";
import { file } from "./file/file.ts";
import { http } from "./http/http.ts";
import { job } from "./job/job.ts";
import { log } from "./log/log.ts";
import { mcpTool } from "./mcp-tool/mcp-tool.ts";
import type { FindServer } from "./mcp-tool/servers.ts";
import type { StepType } from "./plugin.ts";
import type { StepResources } from "./resources.ts";
import type { Sandbox } from "./sandbox/pool.ts";
import { script } from "./script/script.ts";
import { set } from "./set/set.ts";
import { sql } from "./sql/sql.ts";
import { transform } from "./transform/transform.ts";
import { wait } from "./wait/wait.ts";

/** What step types work with: made once by the caller, who also closes dialer and sandbox. */
export interface StepDeps {
  dialer: Dialer;
  sandbox: Sandbox;
  resources: StepResources;
  /** MCP servers of the registry, and what they are told of Pawl. */
  registry: { findServer: FindServer; version: string };
}

/** Every step type there is. */
export function stepTypes({ dialer, sandbox, resources, registry }: StepDeps): StepType[] {
  const mcp = { dialer, ...registry };
  return [
    http(dialer, resources),
    sql(dialer),
    dataset(resources),
    file(resources),
    transform(sandbox),
    script(sandbox),
    wait,
    approval,
    job,
    mcpTool(mcp),
    aiAgent(mcp),
    log,
    set,
  ];
}
