import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";

/** The spellings of a secret that a search for it must try. On purpose not those of our own masker: it is what is tested. */
export function spellings(secret: string): string[] {
  const utf8 = Buffer.from(secret);
  const base64 = (before: number) => {
    const text = Buffer.concat([Buffer.alloc(before, "x"), utf8]).toString("base64");
    // Without the characters that what stands around it has a part in.
    return text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + utf8.length) * 8) / 6));
  };
  const found = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    encodeURIComponent(secret),
    new URLSearchParams({ a: secret }).toString().slice(2),
    utf8.toString("hex"),
    utf8.toString("hex").toUpperCase(),
    ...[0, 1, 2].map(base64),
    ...[0, 1, 2].map((before) => base64(before).replaceAll("+", "-").replaceAll("/", "_")),
  ];
  return [...new Set(found)];
}

/** Where one of the secrets stands in a text, with a little of what is around it. */
export function findSecrets(text: string, secrets: Record<string, string>): string[] {
  return Object.entries(secrets).flatMap(([name, secret]) =>
    spellings(secret).flatMap((spelling) => {
      const at = text.indexOf(spelling);
      return at === -1 ? [] : [`${name}: ${text.slice(Math.max(0, at - 80), at + spelling.length + 40)}`];
    }),
  );
}

/** Every row of every table of a database, as text, by table. */
export async function dumpDatabase(url: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'`,
    );
    const dump = new Map<string, string>();
    for (const { name } of rows) {
      const { rows: lines } = await client.query<{ line: string }>(`select t::text as line from ${name} t`);
      dump.set(name, lines.map(({ line }) => line).join("\n"));
    }
    return dump;
  } finally {
    await client.end();
  }
}

/** Every file below a folder, as Latin-1: all bytes are kept. */
export function readFolder(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, readFileSync(path, "latin1")];
    }),
  );
}
