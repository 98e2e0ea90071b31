import { PROTOCOLS } from '@sallyport/contract';
import type { Row } from './database.ts';
import { openColumn, type Reading } from './people.ts';
import type { SourceTree } from './tree.ts';
import { columnOf, idOf, organizationOf, textOf } from './values.ts';

const ON_ASSETS: ReadonlySet<string> = new Set(
  PROTOCOLS.filter(({ onAssets }) => onAssets).map(({ name }) => name),
);
const MOST_PROTOCOLS = 4;

/** Protocols of an asset that Sallyport serves, as `name/port`, each name once. */
export function keepProtocols(
  offered: readonly (readonly [name: string, port: unknown])[],
  place: string,
  { into }: Reading,
): string[] {
  const kept = new Map<string, string>();
  for (const [name, port] of offered)
    if (ON_ASSETS.has(name) && !kept.has(name) && kept.size < MOST_PROTOCOLS)
      kept.set(name, `${name}/${port}`);
  // Assets with SSH need no further protocol for files.
  const left = offered.filter(([name]) => !kept.has(name) && !(name === 'sftp' && kept.has('ssh')));
  if (kept.size > 0 && left.length > 0)
    into.note(place, `protocols without ${left.map(([name]) => name).join(', ')}`);
  return [...kept.values()];
}

/** Nodes of an asset; the root of its organization if it has none. */
export function nodesOf(
  nodes: readonly string[] | undefined,
  organization: string,
  tree: SourceTree,
): readonly string[] {
  if (nodes && nodes.length > 0) return nodes;
  const root = tree.rootOf(organization);
  return root === undefined ? [] : [root];
}

const NAMES_OF_PLATFORMS = /[^\p{L}\p{N}_-]+/gu;

/** A name of a platform without blanks and other signs. */
export const platformName = (name: unknown): string =>
  textOf(name).replace(NAMES_OF_PLATFORMS, '-').slice(0, 50);

/** Secrets of a row, if they can be read. */
export function readSecrets(reading: Reading, place: string, row: Row) {
  const password = openColumn(reading, place, row, ['password', '_password']);
  const key = openColumn(reading, place, row, ['private_key', '_private_key']);
  return {
    ...(password !== undefined && { password }),
    ...(key !== undefined && { private_key: key }),
  };
}

/** Reads domains; the newest versions call them zones. */
export async function readDomains({ database, into }: Reading): Promise<void> {
  for (const table of ['assets_domain', 'assets_zone'])
    for await (const row of database.rows(table)) {
      const [id, name] = [idOf(row.id), textOf(row.name)];
      into.add({
        kind: 'domain',
        id,
        organization: organizationOf(row),
        name,
        place: `${table} ${id}`,
        fields: { name, comment: textOf(row.comment) },
      });
    }
}

/** Returns the domain of an asset or a gateway. */
export function domainOf(row: Row): string | null {
  const domain = columnOf(row, 'domain_id', 'zone_id');
  return domain === null || domain === undefined ? null : idOf(domain);
}
