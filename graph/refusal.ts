/** Tells a provider that takes no request from one that won't take this one: too long, or against its rules. */
import { ProviderError } from "../config/errors.ts";

/** Bad request, too large, unprocessable. A bad key or an unknown model answers otherwise. */
const ofOneRequest: ReadonlySet<unknown> = new Set([400, 413, 422]);

export function refusesThisRequest(error: unknown): error is ProviderError {
  return (
    error instanceof ProviderError && error.code === "provider.refused" && ofOneRequest.has(error.data.status)
  );
}
