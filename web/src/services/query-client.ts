import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { asClientError } from "./api.ts";
import { keys } from "./keys.ts";

function onError(error: unknown): void {
  // The session is over: asked anew, that leads to the sign-in page.
  if (asClientError(error)?.code === "UNAUTHENTICATED")
    void queryClient.invalidateQueries({ queryKey: keys.me });
}

/** A refusal stays one however often it is asked; what is away may come back. */
function mayPass(error: unknown): boolean {
  const fault = asClientError(error);
  return fault === undefined || fault.status === 0 || fault.status >= 500;
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.queryKey[0] !== keys.me[0]) onError(error);
    },
  }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => count < 2 && mayPass(error),
      retryDelay: (count, error) => (asClientError(error)?.retryAfter ?? 0.4 * 2 ** count) * 1000,
    },
  },
});
