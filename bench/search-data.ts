import type pg from "pg";

// Made by the server, with what names look like: a few dozen words in many combinations, and a number that makes a job's
// name unique. `pick` is even, and the same at every run.
const functions = `
  create function pg_temp.uid(n bigint) returns uuid language sql immutable as $$
    select (lpad(to_hex(1750000000000 + n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid $$;
  create function pg_temp.pick(list text[], n bigint) returns text language sql immutable as $$
    select list[1 + abs(hashint8(n)) % array_length(list, 1)] $$;
  create temp table word as select
    array['nightly','weekly','hourly','monthly','manual','realtime','legacy','eu','us','apac','backfill','test'] as freq,
    array['orders','invoices','customers','payments','shipments','inventory','products','subscriptions','refunds','tickets',
      'payroll','leads','contracts','devices','sessions','audit log','ledger','price list','returns','campaigns','suppliers',
      'warehouses','backups','certificates','accounts','reports','metrics','emails','surveys','employees'] as thing,
    array['sync','import','export','digest','cleanup','reconciliation','report','archive','validation','migration',
      'enrichment','rollup','alerting','snapshot','replication'] as act,
    array['Fetch','Load','Transform','Validate','Filter','Join','Post','Mail','Wait for','Log','Compute','Merge','Store',
      'Notify about','Check','Sum up','Approve','Split','Sort','Deduplicate'] as verb,
    array['finance','sales','operations','support','hr','it','marketing','legal','security','logistics'] as cat,
    array['http','transform','script','wait','log','set'] as kind,
    array['critical','pii','gdpr','slow','beta','deprecated','daily','team-a','team-b','team-c','external','internal',
      'audited','flaky','quarterly','eu','us','apac','high-volume','manual'] as tag,
    array['from the warehouse','of the previous day','for the finance team','out of the old system','into the data lake',
      'with retries','as a CSV file','and mail the result','before the month closes','for each region'] as tail;`;

const items = `
  insert into search_item (id, type, name, description, category, tags, updated_at, collection_id)
  select uid, 'collection', initcap(pg_temp.pick(cat, n)) || ' ' || pg_temp.pick(thing, n * 3 + 1) || ' ' || n,
    'Jobs about ' || pg_temp.pick(thing, n * 3 + 1) || ' ' || pg_temp.pick(tail, n * 7 + 2), pg_temp.pick(cat, n),
    array[pg_temp.pick(tag, n * 11 + 3)], timestamptz '2026-01-01Z' + n * interval '27 seconds', uid
  from generate_series(0, $jobs / 9 - 1) n, word, pg_temp.uid(n * 9900 + 5) uid;

  insert into search_item (id, type, name, description, category, tags, updated_at, collection_id, job_id)
  select uid, 'job',
    pg_temp.pick(freq, n) || '-' || pg_temp.pick(thing, n * 3 + 1) || '-' || pg_temp.pick(act, n * 5 + 2) || '-' || n,
    pg_temp.pick(verb, n * 13) || ' ' || pg_temp.pick(thing, n * 3 + 1) || ' ' || pg_temp.pick(tail, n * 7 + 2) || ', '
      || pg_temp.pick(tail, n * 17 + 5),
    case when n % 900 = 0 then 'treasury' else pg_temp.pick(cat, n * 19) end,
    array[case when n % 1000 = 7 then 'rare' else pg_temp.pick(tag, n * 23 + 4) end, pg_temp.pick(tag, n * 11 + 3)],
    timestamptz '2026-01-01Z' + n * interval '3 seconds', pg_temp.uid((n % ($jobs / 9)) * 9900 + 5), uid
  from generate_series(0, $jobs - 1) n, word, pg_temp.uid(n * 1100) uid;

  insert into search_item (id, type, name, description, category, tags, updated_at, collection_id, job_id, job_name, key,
    step_type, position)
  select pg_temp.uid(n * 1100 + k * 10 + 10), 'step',
    pg_temp.pick(verb, n * 29 + k) || ' ' || pg_temp.pick(thing, n * 31 + k)
      || case when k % 3 = 0 then ' ' || pg_temp.pick(tail, n + k) else '' end,
    case when k % 2 = 0 then '' else pg_temp.pick(verb, n * 37 + k) || ' ' || pg_temp.pick(thing, n * 41 + k) || ' '
      || pg_temp.pick(tail, n * 43 + k) end,
    job.category, job.tags, job.updated_at, job.collection_id, job.job_id, job.name,
    lower(replace(pg_temp.pick(verb, n * 29 + k), ' ', '_')) || k, pg_temp.pick(kind, n + k), k
  from generate_series(0, $jobs - 1) n, word, generate_series(0, 9) k, search_item job
  where job.id = pg_temp.uid(n * 1100);`;

const records = `
  insert into collection (id, name, description, category, tags, created_by, updated_by)
  select id, name, description, category, tags, 'bench', 'bench' from search_item where type = 'collection';
  insert into job (id, name, description, category, tags, collection_id, version, created_at, created_by, updated_at, updated_by)
  select id, name, description, category, tags, collection_id, 1, updated_at, 'bench', updated_at, 'bench'
  from search_item where type = 'job';
  insert into step (id, job_id, definition)
  select id, job_id, json_build_object('id', id, 'key', key, 'name', name, 'type', step_type, 'input', json_build_object())
  from search_item where type = 'step';
  insert into job_version (job_id, version, definition, created_at, created_by)
  select job.id, 1, json_build_object('name', job.name, 'steps', (
    select json_agg(definition) from step where step.job_id = job.id)), now(), 'bench' from job;
  insert into search_word
  select distinct word[1] from search_item, regexp_matches(name_lower || ' ' || description_lower, '[[:alpha:]]{3,40}', 'g') word
  on conflict do nothing;`;

const executions = `
  insert into execution (id, job_id, job_version, job_name, workflow_id, status, triggered_by, started_by, parameters,
    started_at, ended_at, error)
  select uid, job.id, 1, job.name, uid, case when n % 50 = 0 then 'FAILED' else 'COMPLETED' end,
    pg_temp.pick(array['api', 'schedule', 'webhook'], n), 'bench', '{}', at, at + n % 9000 * interval '1 millisecond',
    case when n % 50 = 0 then json_build_object('code', 'STEP_FAILED', 'message', 'The step fetch failed: answered ' || 400 + n % 110) end
  from generate_series(0, $count - 1) n,
    lateral (select now() - n * interval '5 seconds' as at) t,
    lateral (select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex(n), 15, '0'))::uuid as uid) i,
    search_item job
  where job.id = pg_temp.uid(n % $jobs * 1100);`;

/**
 * Fills a database with this many things to find (90 % steps, 9 % jobs, 1 % collections) and as many executions, and
 * brings it to the state that autovacuum would bring it to.
 */
export async function loadItems(pool: pg.Pool, count: number): Promise<void> {
  const jobs = String(Math.round((count * 9) / 100));
  const client = await pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    await client.query("set maintenance_work_mem = '256MB'");
    await client.query(functions);
    // Built afterwards, in a tenth of the time: the tables are none the wiser.
    const { rows } = await client.query<{ name: string; made: string }>(
      `select indexname as name, indexdef as made from pg_indexes
       where tablename = 'search_item' and indexname <> 'search_item_pkey'`,
    );
    for (const { name } of rows) await client.query(`drop index ${name}`);
    await client.query(items.replaceAll("$jobs", jobs));
    for (const { made } of rows) await client.query(made);
    await client.query(records);
    await client.query(executions.replaceAll("$jobs", jobs).replaceAll("$count", String(count)));
    for (const table of [
      "search_item",
      "search_word",
      "collection",
      "job",
      "step",
      "job_version",
      "execution",
    ]) {
      await client.query(`vacuum analyze ${table}`);
    }
    await client.query("checkpoint");
  } finally {
    client.release(true);
  }
}
