import type { Vault } from '../server/src/platform/crypto/vault.ts';
import type { Db } from '../server/src/platform/db/database.ts';
import { sql } from '../server/src/platform/db/sql.ts';
import type { Recordings } from '../server/src/platform/storage/recordings.ts';
import { fillAccounts, PLAYGROUND_ACCOUNT } from './estate/fill-accounts.ts';
import { fillApps } from './estate/fill-apps.ts';
import { fillAssets } from './estate/fill-assets.ts';
import { fillConditions } from './estate/fill-conditions.ts';
import { fillFilters } from './estate/fill-filters.ts';
import { fillRules } from './estate/fill-rules.ts';
import { fillSite } from './estate/fill-site.ts';
import { fillTree } from './estate/fill-tree.ts';
import { fillSettings } from './fill-settings.ts';
import { fillLoginLog } from './logs/fill-login-log.ts';
import { fillOperateLog } from './logs/fill-operate-log.ts';
import { fillOrganization } from './organization/fill-organization.ts';
import { fillAgents } from './people/fill-agents.ts';
import { fillGroupMappings } from './people/fill-group-mappings.ts';
import { fillPeople } from './people/fill-people.ts';
import { createRandom } from './random.ts';
import { fillSessions } from './sessions/fill-sessions.ts';
import { fillTickets } from './tickets/fill-tickets.ts';

/** Setting that marks existing sample data; its value is the id of the sandbox's system user. */
const MARKER = 'DEMO_DATA';
const SEED = 20_261_120;

export interface SampleDataOptions {
  readonly db: Db;
  readonly vault: Vault;
  readonly recordings: Recordings;
  /** Port of the sandboxed SSH server. */
  readonly port: number;
}

export interface SampleData {
  /** System user of the sandboxed server. */
  readonly systemUserId: string;
  /** True if this start filled the data. */
  readonly isNew: boolean;
}

/** Fills the sample data once per database, all or nothing. Keeps later changes by users. */
export async function fillSampleData({
  db,
  vault,
  recordings,
  port,
}: SampleDataOptions): Promise<SampleData> {
  return db.transaction(async (tx) => {
    const marked = await sql<{
      value: string;
    }>`select value from setting where name = ${MARKER}`.execute(tx);
    const [marker] = marked.rows;
    if (marker) return { systemUserId: marker.value, isNew: false };

    const random = createRandom(SEED);
    const now = new Date();
    const people = await fillPeople(tx, random, now);
    const nodes = await fillTree(tx, random);
    const accounts = await fillAccounts(tx, random, vault, now);
    const assets = await fillAssets(tx, random, now, { nodes, accounts, port });
    const rules = await fillRules(tx, random, now, { people, nodes, assets, accounts });
    await fillConditions(tx, createRandom(SEED + 3), now, rules);
    await fillApps(tx, createRandom(SEED + 2), now, { people, assets, accounts });
    await fillFilters(tx, createRandom(SEED + 1), now, accounts);
    await fillLoginLog(tx, random, now, people);
    await fillOperateLog(tx, random, now, {
      people,
      assets,
      rules,
      systemUsers: accounts.systemUsers,
    });
    await fillSessions(tx, random, now, { people, assets, accounts, recordings });
    await fillTickets(tx, createRandom(SEED + 2), now, { people, assets, accounts });
    await fillAgents(tx, createRandom(SEED + 5), now, people);
    await fillSite(tx, createRandom(SEED + 6), now);
    await fillSettings(tx);
    await fillGroupMappings(tx);
    await fillOrganization(tx, createRandom(SEED + 4), now);
    const systemUserId = accounts.systemUsers.get(PLAYGROUND_ACCOUNT)?.id ?? '';
    await sql`insert into setting (name, value) values (${MARKER}, ${JSON.stringify(systemUserId)}::jsonb)`.execute(
      tx,
    );
    return { systemUserId, isNew: true };
  });
}
