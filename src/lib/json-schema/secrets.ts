/** The keys that lead to a value, from the outside in. */
export type Path = readonly string[];

type Schema = Record<string, unknown>;

/** Where a schema for parameters says `secret: true`: always by names alone, as `walkSchema` refuses it elsewhere. */
export function secretPaths(schema: Schema | undefined): Path[] {
  const paths: Path[] = [];
  const visit = (at: unknown, path: Path): void => {
    if (typeof at !== "object" || at === null) return;
    const { secret, properties } = at as Schema;
    if (secret === true) paths.push(path);
    else if (typeof properties === "object" && properties !== null) {
      for (const [name, each] of Object.entries(properties)) visit(each, [...path, name]);
    }
  };
  visit(schema, []);
  return paths;
}

/** A copy of a value with what stands at these paths replaced; what is not there, or null, stays. */
export function replaceAt<T>(
  value: T,
  paths: readonly Path[],
  replace: (value: unknown, path: Path) => unknown,
): T {
  return paths.reduce((copy, path) => replaceOne(copy, path, 0, replace) as T, value);
}

function replaceOne(
  value: unknown,
  path: Path,
  depth: number,
  replace: (value: unknown, path: Path) => unknown,
): unknown {
  if (value === undefined || value === null) return value;
  if (depth === path.length) return replace(value, path);
  const key = path[depth]!;
  if (typeof value !== "object" || !Object.hasOwn(value, key)) return value;
  const item = replaceOne((value as Schema)[key], path, depth + 1, replace);
  return { ...value, [key]: item };
}

/** A path as a JSON pointer. */
export function pointerOf(path: Path): string {
  return path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
