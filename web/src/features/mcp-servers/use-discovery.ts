import {
  type Discovery,
  type DiscoveryStep,
  type DiscoveryStepName,
  discoverySteps,
} from "@contract/mcp-server.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api } from "../../services/api.ts";
import type { ShownStep } from "../configuration/step-list.tsx";

export const stepWords: Record<DiscoveryStepName, string> = {
  VALIDATE_URL: "Check the URL",
  RESOLVE_ADDRESS: "Reach the host",
  AUTHENTICATE: "Prepare the credentials",
  INITIALIZE: "Initialize",
  INITIALIZED: "Say that it is initialized",
  DISCOVER: "Ask what it speaks",
  LIST_TOOLS: "List the tools",
  CLOSE_SESSION: "Close the session",
};

export interface DiscoveryRun {
  steps: ShownStep[];
  result: Discovery | undefined;
  error: unknown;
  running: boolean;
  start: () => void;
}

interface State {
  done: DiscoveryStep[];
  result?: Discovery;
  error?: unknown;
  running: boolean;
}

/** Discovers a server and shows each step as it ends. Leaving the page ends the discovery: nothing is kept of it then. */
export function useDiscovery(id: string): DiscoveryRun {
  const queryClient = useQueryClient();
  const [state, setState] = useState<State>({ done: [], running: false });
  const ending = useRef<AbortController>(null);
  useEffect(() => () => ending.current?.abort(new Error("The page was left.")), []);

  async function run(signal: AbortSignal): Promise<void> {
    setState({ done: [], running: true });
    try {
      for await (const { event, data } of api.watchMcpServerDiscovery({ params: { id }, signal })) {
        if (event === "step") setState((before) => ({ ...before, done: [...before.done, data] }));
        else if (event === "end") setState({ done: data.steps, result: data, running: false });
        else throw new Error(data.message);
      }
      await queryClient.invalidateQueries({ queryKey: ["mcp-servers"] });
    } catch (error) {
      if (!signal.aborted) setState((before) => ({ ...before, error, running: false }));
    }
  }

  const { done, result, error, running } = state;
  const next = running && discoverySteps.find((name) => !done.some((step) => step.name === name));
  return {
    steps: next ? [...done, { name: next, status: "RUNNING" }] : done,
    result,
    error,
    running,
    start() {
      ending.current = new AbortController();
      void run(ending.current.signal);
    },
  };
}
