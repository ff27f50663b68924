const mask = "***";

/** Parameters without those that were masked: sent back, the mask itself would become the secret. */
export function withoutMasked(value: unknown): unknown {
  if (value === mask) return undefined;
  if (Array.isArray(value)) return value.map(withoutMasked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, withoutMasked(item)] as const)
      .filter(([, item]) => item !== undefined),
  );
}
