import { type RawBuilder, sql } from 'kysely';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Hop, Routes } from '../ports.ts';
import { Refusal } from '../refusal.ts';
import { openLogin } from './access.ts';

interface GatewayRow {
  readonly id: string;
  readonly name: string;
  readonly ip: string;
  readonly port: number;
  readonly username: string;
  readonly password: string | null;
  readonly private_key: string | null;
}

/** Gateways of a domain that are tried for one connection. */
const MOST_TRIED = 4;
/** So long a gateway that could not be opened is tried after the others. */
const AVOIDED_MILLISECONDS = 60_000;

/** The gateways on the route to an asset or a database: those of its domain in random order, so that they share the work, the ones that lately failed last. */
export function createRoute(db: Db, vault: Vault): Routes {
  const failed = new Map<string, number>();
  const isAvoided = (id: string) => {
    const since = failed.get(id);
    if (since === undefined) return false;
    if (Date.now() - since < AVOIDED_MILLISECONDS) return true;
    failed.delete(id);
    return false;
  };
  return {
    async gateways(targetId, kind = 'asset') {
      const target = sql`(select domain_id from ${sql.table(kind)} where id = ${targetId})`;
      const rows = await rowsOf(sql`g.is_active and g.domain_id = ${target} order by random()`, db);
      // A domain without a working gateway refuses the connection; it is no reason to connect directly.
      if (rows.length === 0) {
        const { rows: shut } = await sql<{ domain: string }>`
          select d.name as domain from domain d where d.id = ${target} and exists (select 1 from gateway g where g.domain_id = d.id)`.execute(
          db,
        );
        if (shut[0]) throw new Refusal('connect_unreachable', { host: shut[0].domain });
        return [];
      }
      const inOrder = [
        ...rows.filter(({ id }) => !isAvoided(id)),
        ...rows.filter(({ id }) => isAvoided(id)),
      ].slice(0, MOST_TRIED);
      const [first, ...others] = inOrder.map(
        (row): Hop => ({ ...hopOf(row, vault), onFailed: () => failed.set(row.id, Date.now()) }),
      );
      return first ? [{ ...first, others }] : [];
    },
  };
}

/** A gateway, whether it is active or not; undefined when it is gone. */
export async function gatewayOf(id: string, db: Db, vault: Vault): Promise<Hop | undefined> {
  const [row] = await rowsOf(sql`g.id = ${id}`, db);
  return row && hopOf(row, vault);
}

async function rowsOf(condition: RawBuilder<unknown>, db: Db): Promise<readonly GatewayRow[]> {
  const { rows } = await sql<GatewayRow>`
    select g.id, g.name, g.ip, g.port, g.username, g.password, g.private_key from gateway g where g.protocol = 'ssh' and ${condition}`.execute(
    db,
  );
  return rows;
}

function hopOf(row: GatewayRow, vault: Vault): Hop {
  return {
    id: row.id,
    name: row.name,
    host: row.ip,
    port: row.port,
    login: { username: row.username, ...openLogin(vault, 'gateway', row.id, row) },
  };
}
