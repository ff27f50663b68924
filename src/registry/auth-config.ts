/** A credential inside an authConfig: where it stands (JSON pointer), and its text. */
export interface Secret {
  path: string;
  value: unknown;
}

const sensitiveKeys: ReadonlySet<string> = new Set([
  "token",
  "apiKey",
  "apikey",
  "password",
  "secret",
  "clientSecret",
  "privateKey",
]);
/** Everything under these is sensitive: whatever a server takes as its own header or query value is likely its credential. */
const sensitiveGroups: ReadonlySet<string> = new Set(["headers", "query"]);

/** A copy in which every credential, at whatever depth, is what `change` answers; undefined takes it out. */
export function mapSecrets(
  config: Record<string, unknown>,
  change: (secret: Secret) => unknown,
): Record<string, unknown> {
  return mapObject(config, "", false, change);
}

/** The credentials of an authConfig by their places. */
export function secretsOf(config: Record<string, unknown>): Map<string, unknown> {
  const found = new Map<string, unknown>();
  mapSecrets(config, ({ path, value }) => {
    found.set(path, value);
    return value;
  });
  return found;
}

function mapObject(
  object: Record<string, unknown>,
  path: string,
  sensitive: boolean,
  change: (secret: Secret) => unknown,
): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    const at = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const within = sensitive || sensitiveKeys.has(key) || sensitiveGroups.has(key);
    const mapped = mapValue(value, at, within, change);
    if (mapped !== undefined) copy[key] = mapped;
  }
  return copy;
}

function mapValue(
  value: unknown,
  path: string,
  sensitive: boolean,
  change: (secret: Secret) => unknown,
): unknown {
  if (Array.isArray(value)) {
    return value.map((item, i) => mapValue(item, `${path}/${i}`, sensitive, change) ?? null);
  }
  if (typeof value === "object" && value !== null) {
    return mapObject(value as Record<string, unknown>, path, sensitive, change);
  }
  return sensitive ? change({ path, value }) : value;
}
