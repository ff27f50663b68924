import { ApiError } from "../../contract/errors.ts";

export function shuttingDown(): ApiError {
  return new ApiError("STORE_UNAVAILABLE", "Pawl is shutting down; try again shortly.", { retryAfter: 5 });
}

export function overloaded(): ApiError {
  const message = "More executions wait to run than the server will hold; try again shortly.";
  return new ApiError("OVERLOADED", message, { retryAfter: 1 });
}
