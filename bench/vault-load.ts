import { Pool } from "undici";
import { quantile } from "./closed-loop.ts";
import { field, textOf } from "./vault-data.ts";

interface Answer {
  status: number;
  text: string;
}

/** Requests to a server with its token, over so many keep-alive connections. */
export function openCaller({ url, token, connections }: { url: string; token: string; connections: number }) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    async send(method: "GET" | "POST", path: string, body?: object): Promise<Answer> {
      const answer = await pool.request({
        method,
        path,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    },
    close: () => pool.destroy(),
  };
}

export type Caller = ReturnType<typeof openCaller>;

export const connectionOf = (name: string, password: string) => ({
  name,
  connectionType: "database-relational2",
  variables: { host: "db.example.com", port: "5432", database: "orders", username: "app", [field]: password },
});

/** What is known of the secrets while they change: the last one that was answered, and one that is on its way. */
export function knownSecrets() {
  const known = new Map<string, string[]>();
  return {
    expected: (id: string): readonly string[] => known.get(id) ?? [textOf(id)],
    entering: (id: string, text: string) => void known.set(id, [...(known.get(id) ?? [textOf(id)]), text]),
    entered: (id: string, text: string) => void known.set(id, [text]),
  };
}

export type KnownSecrets = ReturnType<typeof knownSecrets>;

/**
 * So many requests a second, whether or not those before are answered: a time counts from when a request was due. Of twenty, twelve
 * read a connection in the clear and look whether the secret is the right one, six read it sealed, two enter a new secret.
 */
export function steadyLoad(caller: Caller, ids: readonly string[], known: KnownSecrets, perSecond: number) {
  const times: number[] = [];
  const failures: string[] = [];
  const underWay = new Set<Promise<void>>();
  const changing = new Set<string>();
  const begun = performance.now();
  let sent = 0;

  async function request(n: number): Promise<void> {
    const id = ids[(n * 7919) % ids.length]!;
    if (n % 10 === 9 && !changing.has(id)) return change(id, `changed ${n}, and 64 characters long or so`);
    const isOpen = n % 10 < 6;
    const answer = await caller.send("GET", isOpen ? `/connection/decrypted/${id}` : `/connection/${id}`);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text.slice(0, 200)}`);
    if (!isOpen) return;
    const { data } = JSON.parse(answer.text) as { data: { variables: Record<string, string> } };
    // One that is entered just now may be seen before its answer.
    if (!changing.has(id) && !known.expected(id).includes(data.variables[field]!))
      throw new Error(`The connection ${id} has another secret than was entered.`);
  }

  async function change(id: string, text: string): Promise<void> {
    changing.add(id);
    known.entering(id, text);
    const answer = await caller.send("POST", "/connection/upsert", connectionOf(`bench ${id}`, text));
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text.slice(0, 200)}`);
    known.entered(id, text);
    changing.delete(id);
  }

  function send(): void {
    for (const now = performance.now(); begun + (sent * 1000) / perSecond <= now; sent++) {
      const due = begun + (sent * 1000) / perSecond;
      const done = request(sent)
        .then(() => void times.push(performance.now() - due))
        .catch((error: Error) => void failures.push(error.message))
        .finally(() => underWay.delete(done));
      underWay.add(done);
    }
  }
  const timer = setInterval(send, 5);

  return {
    failures,
    async end() {
      clearInterval(timer);
      const seconds = (performance.now() - begun) / 1000;
      await Promise.all(underWay);
      times.sort((a, b) => a - b);
      return {
        perSecond: times.length / seconds,
        p50Ms: quantile(times, 0.5),
        p99Ms: quantile(times, 0.99),
        maxMs: times.at(-1) ?? 0,
        failures,
      };
    },
  };
}
