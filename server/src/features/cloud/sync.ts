import { type LocalText, type Problem, say } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Instance } from '../../platform/cloud/cloud.ts';
import { type Db, type Tx, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { AppError, Invalid } from '../../platform/errors.ts';
import type { Writer } from '../../resources/write/writer.ts';
import { lockGrants } from '../perms/index.ts';
import { addressOf, hostnamesOf, type SyncTask } from './store.ts';
import { both, textOfProblems, words } from './words.ts';

const PLATFORMS = {
  windows: { platform: 'Windows', protocols: ['rdp/3389'] },
  other: { platform: 'Linux', protocols: ['ssh/22'] },
} as const;

export interface SyncOptions {
  readonly execution: string;
  readonly task: SyncTask;
  readonly db: Db;
  /** The writer of assets. */
  readonly writer: Writer;
  readonly caller: Caller;
  log(line: string): void;
}

/** The stored state of a seen instance. */
interface InstanceRow {
  readonly id: string;
  readonly instance_id: string;
  readonly asset_id: string | null;
  readonly is_left_out: boolean;
}

interface AssetFacts {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly public_ip: string | null;
}

/**
 * Creates assets from instances, in one transaction each. An interrupted run can therefore
 * continue.
 */
export class Sync {
  readonly #options: SyncOptions;

  constructor(options: SyncOptions) {
    this.#options = options;
  }

  /** Processes a page of instances. Returns their number. */
  async take(page: readonly Instance[], signal: AbortSignal): Promise<number> {
    const instances = new Map(page.map((instance) => [instance.id, instance]));
    const known = await this.#see([...instances.values()]);
    const current = this.#options.task.isAlwaysUpdate
      ? await this.#assetsOf(known)
      : new Map<string, AssetFacts>();
    for (const row of known) {
      const instance = instances.get(row.instance_id);
      if (signal.aborted || !instance) break;
      const facts = row.asset_id === null ? undefined : current.get(row.asset_id);
      // A user deleted its asset.
      if (row.is_left_out) continue;
      if (row.asset_id === null) await this.#make(row, instance);
      else if (facts) await this.#refresh(facts, instance);
    }
    return instances.size;
  }

  /** Marks instances as seen. An instance whose asset was created in this run stays new. */
  async #see(instances: readonly Instance[]): Promise<readonly InstanceRow[]> {
    const { task, execution, db } = this.#options;
    const column = (read: (instance: Instance) => string) => sql`${instances.map(read)}::text[]`;
    const { rows } = await sql<InstanceRow>`
      insert into cloud_instance as known (org_id, task_id, account_id, provider, instance_id,
        region, name, ip, seen_by)
      select ${task.organization}, ${task.id}::uuid, ${task.account}::uuid, ${task.provider},
        found.id, found.region, left(found.name, 256), left(found.ip, 64), ${execution}::uuid
      from unnest(${column(({ id }) => id)}, ${column(({ region }) => region)},
        ${column(({ name }) => name)}, ${column(addressOf)}) as found (id, region, name, ip)
      on conflict (task_id, instance_id) do update set account_id = excluded.account_id,
        provider = excluded.provider, region = excluded.region,
        name = excluded.name, ip = excluded.ip, seen_by = excluded.seen_by, released_by = null,
          date_sync = now(),
        reason = case when known.asset_id is null then known.reason end,
        status = case when known.asset_id is null then 0
          when known.made_by = excluded.seen_by then 1 else 2 end
      returning id, instance_id, asset_id, is_left_out`.execute(db);
    return rows;
  }

  async #assetsOf(known: readonly InstanceRow[]): Promise<ReadonlyMap<string, AssetFacts>> {
    const ids = known.flatMap(({ asset_id: id }) => id ?? []);
    const { rows } = await sql<AssetFacts>`select id, hostname, ip, public_ip from asset
        where id = any (${ids}::uuid[])`.execute(this.#options.db);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Links an instance to the asset of another task, or creates a new asset. */
  async #make(row: InstanceRow, instance: Instance): Promise<void> {
    const { task, execution, db, writer, caller, log } = this.#options;
    const name = instance.name || instance.id;
    const leave = async (reason: LocalText, on: Db | Tx) => {
      await sql`update cloud_instance set status = 0, reason = ${JSON.stringify(reason)}::jsonb
        where id = ${row.id} and asset_id is null`.execute(on);
      log(say(words.left, caller.language, { name, reason }));
    };
    const attach = async (asset: string, isNew: boolean, tx: Tx) => {
      await sql`
        update cloud_instance set asset_id = ${asset}, status = ${isNew ? 1 : 2}, made_by = case
          when ${isNew} then ${execution}::uuid end, reason = null
        where id = ${row.id}`.execute(tx);
    };
    try {
      const createdHostname = await transact(db, async (tx) => {
        // Locked before any row, so that two tasks do not both create an asset of one instance.
        await lockGrants(tx);
        const { rows: ties } = await sql<{ id: string }>`
          select asset_id as id from cloud_instance
          where org_id = ${task.organization} and provider = ${task.provider} and instance_id =
            ${instance.id} and asset_id is not null limit 1`.execute(tx);
        if (ties[0]) {
          await attach(ties[0].id, false, tx);
          return undefined;
        }
        // The exclusion applies to the instance in all tasks.
        const { rowCount: left } = await sql`
          update cloud_instance set is_left_out = true where id = ${row.id} and exists (
            select 1 from cloud_instance other
              where other.org_id = ${task.organization} and other.provider = ${task.provider}
              and other.instance_id = ${instance.id} and other.is_left_out)`.execute(tx);
        if (left) return undefined;
        const ip = addressOf(instance);
        if (ip === '') return leave(words.noAddress, tx);
        const { rows: others } = await sql<{ hostname: string }>`
          select a.hostname from asset a
            where a.org_id = ${task.organization} and a.ip =
            any (${[instance.privateIp, instance.publicIp].filter(Boolean)}::text[])
            and not exists (select 1 from cloud_instance i where i.asset_id = a.id)
              order by a.hostname limit 1`.execute(tx);
        if (others[0]) return leave(both(words.exists, { hostname: others[0].hostname }), tx);
        const hostname = await this.#freeName(hostnamesOf(instance, task.strategy), undefined, tx);
        if (hostname === undefined) return leave(words.nameTaken, tx);
        const body = {
          ...PLATFORMS[instance.isWindows ? 'windows' : 'other'],
          hostname,
          ip,
          public_ip: instance.publicIp || null,
          nodes: [task.node],
          admin_user: task.adminUser,
        };
        const asset = await writer.create(body, caller, { tx });
        await attach(String(asset.id), true, tx);
        return hostname;
      });
      if (createdHostname) log(say(words.made, caller.language, { hostname: createdHostname }));
    } catch (error) {
      // Invalid assets and the limit of the license. Other errors are defects.
      if (!(error instanceof AppError)) throw error;
      await leave(reasonOf(error), db);
    }
  }

  /** Updates name and addresses of an asset from its instance. Writes only differences. */
  async #refresh({ id, ...facts }: AssetFacts, instance: Instance): Promise<void> {
    const { task, db, writer, caller, log } = this.#options;
    const names = hostnamesOf(instance, task.strategy);
    const change = {
      ...(addressOf(instance) !== '' &&
        facts.ip !== addressOf(instance) && { ip: addressOf(instance) }),
      ...((facts.public_ip ?? '') !== instance.publicIp && {
        public_ip: instance.publicIp || null,
      }),
    };
    if (names.includes(facts.hostname) && Object.keys(change).length === 0) return;
    try {
      const hostname = await transact(db, async (tx) => {
        await lockGrants(tx);
        const newHostname = names.includes(facts.hostname)
          ? undefined
          : await this.#freeName(names, id, tx);
        const body = { ...change, ...(newHostname !== undefined && { hostname: newHostname }) };
        if (Object.keys(body).length === 0) return undefined;
        return String((await writer.change(id, body, caller, { tx })).hostname);
      });
      if (hostname) log(say(words.updated, caller.language, { hostname }));
    } catch (error) {
      // Includes assets deleted in the meantime.
      if (!(error instanceof AppError)) throw error;
      log(say(words.left, caller.language, { name: facts.hostname, reason: reasonOf(error) }));
    }
  }

  /** The first hostname that no other asset of the organization has. */
  async #freeName(
    names: readonly string[],
    except: string | undefined,
    tx: Tx,
  ): Promise<string | undefined> {
    const { rows } = await sql<{ hostname: string }>`
      select hostname from asset where org_id = ${this.#options.task.organization} and hostname =
        any (${names}::text[])
        and id is distinct from ${except ?? null}::uuid`.execute(tx);
    const taken = new Set(rows.map(({ hostname }) => hostname));
    return names.find((name) => !taken.has(name));
  }
}

function reasonOf(error: AppError): LocalText {
  const problems: readonly Problem[] =
    error instanceof Invalid
      ? Object.values(error.problems).flatMap((found) => found ?? [])
      : [error];
  return textOfProblems(problems);
}
