import { connect, type PeerCertificate } from 'node:tls';
import type { Health } from '@sallyport/contract';
import type { Config } from '../../config.ts';
import {
  DEAD_AFTER_SECONDS,
  NEW_IDENTITY,
  PEERS,
  serverIdOf,
  serverOf,
} from '../../features/servers/index.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { createPeerChannel, type PeerAddress } from '../../platform/peers/channel.ts';
import { type DoctorContext, type Finding, fine, problem, reasonOf, warning } from './finding.ts';
import { certificateEnd } from './machine.ts';

const PATIENCE = 10_000;
/** Parts that another check explains. */
const EXPLAINED = ['clock', 'synchronous_replication', 'replication_lag', 'journal_cover'];

/** Checks the health of a running server, and the certificate that browsers see. */
export async function examineReach({ config, isRunning }: DoctorContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (isRunning && config.httpPort > 0)
    findings.push(...(await server(config.httpHost, config.httpPort)));
  if (config.publicUrl?.startsWith('https:'))
    findings.push(await certificate(new URL(config.publicUrl)));
  return findings;
}

async function server(host: string, port: number): Promise<Finding[]> {
  const name = ['0.0.0.0', '::'].includes(host)
    ? 'localhost'
    : host.includes(':')
      ? `[${host}]`
      : host;
  const url = `http://${name}:${port}/api/health/`;
  const fix = 'Restart the server, and read its log: journalctl -u sallyport';
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
    const { dependencies = {} } = (await answer.json()) as Partial<Health>;
    const down = Object.entries(dependencies).flatMap(([part, { status }]) =>
      status === 'up' || EXPLAINED.includes(part) ? [] : [part],
    );
    if (down.length === 0)
      return [
        answer.ok
          ? fine('server', `${url} answers, and every part works`)
          : problem('server', `${url} answers ${answer.status}`, fix),
      ];
    return down.map((part) =>
      part === 'identity'
        ? problem(
            'identity',
            'Another server has taken over the identity of the running one (server.id)',
            `Stop both, and give the copied folder a new identity: ${NEW_IDENTITY}`,
          )
        : (answer.ok ? warning : problem)(
            'server',
            `${part} does not work in the running server`,
            fix,
          ),
    );
  } catch (error) {
    return [
      problem(
        'server',
        `${url} does not answer: ${reasonOf(error)}`,
        `Check that SALLYPORT_HTTP_HOST and SALLYPORT_HTTP_PORT are those of the running server. ${fix}`,
      ),
    ];
  }
}

/** Verifies the certificate as a browser does. */
async function certificate(url: URL): Promise<Finding> {
  const fix = 'Renew the certificate of the proxy in front of Sallyport';
  try {
    const seen = await new Promise<PeerCertificate>((settle, fail) => {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      const socket = connect({ host, port: Number(url.port) || 443, servername: host }, () => {
        settle(socket.getPeerCertificate());
        socket.end();
      });
      socket.setTimeout(PATIENCE, () => socket.destroy(new Error('no answer')));
      socket.once('error', fail);
    });
    return certificateEnd(
      url.host,
      {
        subject: [seen.subject.CN].flat().join(', '),
        validFrom: seen.valid_from,
        validTo: seen.valid_to,
      },
      fix,
    );
  } catch (error) {
    return problem(
      'certificates',
      `${url.host} does not answer with a good certificate: ${reasonOf(error)}`,
      fix,
    );
  }
}

/** Connects to each other live server of the installation. */
export async function examinePeers(db: Db, vault: Vault, config: Config): Promise<Finding[]> {
  if (config.databaseUrl === undefined) return [];
  const { rows } = await sql<PeerAddress & { name: string }>`
    select s.host, s.port, coalesce(t.name, s.id) as name
    from server s left join terminal t on t.holder = ${serverOf(sql`s.id`)}
    where ${serverOf(sql`s.id`)} <> ${serverIdOf(config)} and s.date_seen > now() - make_interval(secs =>
    ${DEAD_AFTER_SECONDS})
    order by name`.execute(db);
  const channel = createPeerChannel(vault.keysFor(PEERS));
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
