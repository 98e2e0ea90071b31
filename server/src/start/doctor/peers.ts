import type { Config } from '../../config.ts';
import { DEAD_AFTER_SECONDS, holderOf, PEERS } from '../../features/servers/index.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { createPeerChannel, type PeerAddress } from '../../platform/peers/channel.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';

/** Connects to each other live server of the installation. */
export async function examinePeers(db: Db, vault: Vault, config: Config): Promise<Finding[]> {
  if (config.databaseUrl === undefined) return [];
  const { rows } = await sql<PeerAddress & { name: string }>`
    select s.host, s.port, coalesce(t.name, s.id) as name
    from server s left join terminal t on t.holder = s.id
    where s.id <> ${holderOf(config)} and s.date_seen > now() - make_interval(secs =>
    ${DEAD_AFTER_SECONDS})
    order by name`.execute(db);
  const channel = createPeerChannel(vault.keyFor(PEERS));
  const findings: Finding[] = [];
  for (const { name, host, port } of rows) {
    const place = `The server ${name} at ${host}:${port}`;
    try {
      // An error about the unknown request proves the connection.
      (await channel.ask({ host, port }, 'doctor', null)).destroy();
      findings.push(fine('peers', `${place} can be reached`));
    } catch (error) {
      findings.push(
        problem(
          'peers',
          `${place} cannot be reached: ${reasonOf(error)}`,
          'Open SALLYPORT_PEER_PORT between the servers; there, SALLYPORT_HTTP_HOST must not be 127.0.0.1',
        ),
      );
    }
  }
  return findings;
}
