import type { Kind } from "./config-kinds.ts";

/** One variable of the environment. `masked`: what `pawl config` hides of it. */
export interface Setting<T = unknown, D extends string | undefined = string | undefined> {
  name: string;
  kind: Kind<T>;
  default: D;
  about: string;
  masked?: "all" | "password";
}

type Mask = { masked?: "all" | "password" };

/** One that has a value when nothing is set. */
export function withDefault<T>(
  name: string,
  kind: Kind<T>,
  fallback: string,
  about: string,
): Setting<T, string> {
  return { name, kind, default: fallback, about };
}

/** One that may be unset. */
export function optional<T>(
  name: string,
  kind: Kind<T>,
  about: string,
  mask: Mask = {},
): Setting<T, undefined> {
  return { name, kind, default: undefined, about, ...mask };
}
