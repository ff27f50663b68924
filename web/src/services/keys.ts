/**
 * Keys of what is read. The first word is the noun: invalidating that reads all of it anew, so a page never needs to know
 * which lists show what it changed.
 */
export const keys = {
  me: ["me"],
  openApi: ["openapi"],
  search: (text: string, types: string) => ["search", text, types],
  jobs: {
    all: ["jobs"],
    list: (request: object) => ["jobs", "list", request],
    one: (id: string) => ["jobs", "one", id],
    versions: (id: string) => ["jobs", "versions", id],
    stepTypes: ["step-types"],
  },
  collections: { all: ["collections"], list: (request: object) => ["collections", "list", request] },
  executions: {
    all: ["executions"],
    lists: ["executions", "list"],
    list: (request: object) => ["executions", "list", request],
    one: (id: string, run?: number) => ["executions", "one", id, run ?? "latest"],
    logs: (id: string, request: object) => ["executions", "logs", id, request],
    history: (jobId: string, request: object) => ["executions", "list", "history", jobId, request],
    summary: (jobId: string) => ["executions", "list", "summary", jobId],
    timeline: (request: object) => ["executions", "list", "timeline", request],
    approvals: ["executions", "list", "approvals"],
  },
} as const;
