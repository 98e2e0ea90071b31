import { t } from './language.ts';
import { note, printJson, printTable } from './print.ts';
import type { Server } from './server.ts';
import { accountsOf, accountsOn, assets, databases } from './targets.ts';
import { words } from './words.ts';

/** Requests for accounts that run at the same time. */
const AT_ONCE = 8;

interface Listed {
  readonly kind: 'asset' | 'database';
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly protocols: readonly string[];
  readonly organization: string;
  readonly accounts: readonly {
    readonly name: string;
    readonly username: string;
    readonly protocol: string;
  }[];
}

/** Runs work for each item, a few at the same time, and keeps the order. */
async function forEach<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  return results;
}

export interface ListOptions {
  readonly search: string;
  readonly max: number;
  readonly isJson: boolean;
}

/** Lists the granted assets and databases with their accounts. */
export async function list(server: Server, { search, max, isJson }: ListOptions): Promise<number> {
  const servers = await assets(server, search, max);
  const rest = max - servers.rows.length;
  const apps = rest > 0 ? await databases(server, search, rest) : { rows: [], count: 0 };
  const accountRow = ({ name, username, protocol }: Listed['accounts'][number]) => ({
    name,
    username,
    protocol,
  });
  const rows: Listed[] = [
    ...(await forEach(servers.rows, async (asset) => ({
      kind: 'asset' as const,
      id: asset.id,
      name: asset.hostname,
      address: asset.ip,
      protocols: asset.protocols,
      organization: asset.org_name,
      accounts: (await accountsOn(server, asset.id)).map(accountRow),
    }))),
    ...(await forEach(apps.rows, async (app) => ({
      kind: 'database' as const,
      id: app.id,
      name: app.name,
      address: app.host,
      protocols: [app.type],
      organization: app.org_name,
      accounts: (await accountsOf(server, app.id)).map(accountRow),
    }))),
  ];
  if (isJson) printJson(rows);
  else
    printTable(
      [
        t(words.name),
        t(words.address),
        t(words.protocols),
        t(words.accounts),
        t(words.organization),
      ],
      rows.map(({ name, address, protocols, accounts, organization }) => [
        name,
        address,
        protocols.join(' '),
        accounts.map((account) => account.name).join(' '),
        organization,
      ]),
    );
  const more = servers.count + apps.count - rows.length;
  if (more > 0) note(t(words.more, { count: more }));
  return 0;
}
