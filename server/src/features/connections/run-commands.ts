import { randomUUID } from 'node:crypto';
import type { Charset } from '@sallyport/contract';
import type { Grant } from '../../gateway/ports/grant.ts';
import type { NewSession } from '../../gateway/ports/records.ts';
import type { GatewayPorts } from '../../gateway/ports.ts';
import { Refusal } from '../../gateway/refusal.ts';
import { command } from '../../gateway/remote/modules/command.ts';
import { type RemoteHost, runOnHosts } from '../../gateway/remote/run-on-hosts.ts';
import { textOf } from '../../gateway/remote/words.ts';
import { decideUnasked } from '../../gateway/sessions/begin-recorded.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { CommandPerson, CommandRun, CommandWork } from './command-work.ts';
import { connectionTerms } from './permission-terms.ts';

/** The ports that decide about a connection and open it: access, account and route. */
export type ConnectionPorts = Pick<
  GatewayPorts,
  'access' | 'credentials' | 'route' | 'hostKeys' | 'addresses' | 'factors' | 'guard' | 'log'
>;

/** Hosts per query. */
const PAGE = 500;

/**
 * Runs batch commands over the gateway's connections, with the checks of a session that runs one
 * command.
 */
export function createCommandWork(ports: ConnectionPorts, db: Db): CommandWork {
  /** Checks the permission now. @throws Refusal */
  const grantFor = async (
    person: CommandPerson,
    assetId: string,
    systemUserId: string,
  ): Promise<Grant> => {
    const grant = await ports.access.check({ ...person, loginFrom: 'WT' }, assetId, systemUserId);
    if (grant.systemUser.protocol !== 'ssh')
      throw new Refusal('connect_protocol', { protocol: grant.systemUser.protocol });
    // A batch command cannot wait for a reviewer of each connection.
    if (grant.approval) throw new Refusal('command_approval');
    if (grant.systemUser.switchMethod) throw new Refusal('command_switch');
    if (grant.secondPerson) throw new Refusal('command_second_person');
    return grant;
  };
  /** Returns the command line to run: guards may replace it. @throws Refusal */
  const allowed = async (text: string, grant: Grant, person: CommandPerson): Promise<string> => {
    const session: NewSession = {
      id: randomUUID(),
      person: { ...person, loginFrom: 'WT' },
      grant,
      account: grant.systemUser.username,
      dateStart: databaseClock.date(),
    };
    if (!ports.guard) throw new Refusal('command_not_checked');
    const verdict = await decideUnasked(ports.guard, text, session, ports.log);
    if (verdict.kind === 'deny') throw new Refusal('command_refused', { message: verdict.message });
    return verdict.command;
  };

  return {
    async requireFactor({ loginId }, ruleIds) {
      const { factorMinutes: minutes } = await connectionTerms(db, ruleIds);
      if (minutes !== undefined && !(await ports.factors?.isRecent(loginId, minutes)))
        throw new Refusal('factor_needed', { minutes });
    },
    async decide({ person, assetId, systemUserId, command: text }) {
      await allowed(text, await grantFor(person, assetId, systemUserId), person);
    },
    async run(run) {
      const grants = new Map<string, Grant>();
      await runOnHosts(ports, {
        module: command,
        // Check again right before contacting the host: the permission may have been revoked since
        // the start.
        async input({ id }) {
          const grant = await grantFor(run.person, id, run.systemUserId);
          grants.set(id, grant);
          const text = await allowed(run.command, grant, run.person);
          run.onBegin(id);
          return { command: text };
        },
        hosts: hostsOf(ports, db, run, grants),
        parallel: run.parallel,
        secondsPerHost: run.secondsPerHost,
        signal: run.signal,
        onOutput: ({ id }, text, isError) => run.onOutput(id, text, isError),
        async onReport({ host, milliseconds, ...report }) {
          grants.delete(host.id);
          const about = { assetId: host.id, milliseconds };
          if (report.state === 'done')
            await run.onReport({ ...about, state: 'done', ...report.result });
          else await run.onReport({ ...about, state: 'failed', reason: textOf(report.problem) });
        },
      });
    },
  };
}

async function* hostsOf(
  ports: ConnectionPorts,
  db: Db,
  { assets, canContinue }: CommandRun,
  grants: ReadonlyMap<string, Grant>,
): AsyncGenerator<RemoteHost> {
  const host = (row: PlatformRow): RemoteHost => ({
    id: row.id,
    name: row.hostname,
    platform: row.base,
    charset: grants.get(row.id)?.asset.charset ?? row.charset,
    async open() {
      const grant = grants.get(row.id);
      if (!grant) throw new Refusal('connect_denied');
      const { asset, systemUser } = grant;
      const stored =
        systemUser.loginMode === 'manual'
          ? undefined
          : await ports.credentials.open(systemUser.id, asset.id, systemUser.username);
      if (!stored) throw new Refusal('command_no_login');
      return {
        target: {
          id: asset.id,
          name: asset.hostname,
          host: asset.ip,
          port: asset.port,
          login: { ...stored, username: systemUser.username || stored.username },
          allowsOldSsh: asset.allowsOldSsh === true,
        },
        gateways: await ports.route.gateways(asset.id),
        become: { method: 'none' },
      };
    },
  });
  for (let at = 0; at < assets.length; at += PAGE) {
    for (const row of await platformsOf(assets.slice(at, at + PAGE), db)) {
      if (!canContinue()) return;
      yield host(row);
    }
  }
}

interface PlatformRow {
  id: string;
  hostname: string;
  base: RemoteHost['platform'];
  charset: Charset;
}

/** Returns platforms in the order of the ids; deleted assets are left out. */
async function platformsOf(ids: readonly string[], db: Db): Promise<readonly PlatformRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<PlatformRow>`
    select a.id, a.hostname, p.base, p.charset
      from unnest(${ids}::uuid[]) with ordinality as asked (id, position)
      join asset a on a.id = asked.id join platform p on p.name = a.platform
      order by asked.position`.execute(db);
  return rows;
}
