import { type LocalText, parseAssetProtocol } from '@sallyport/contract';
import { sql } from 'kysely';
import type { AssetReport, AssetRun, RemoteWork } from '../../features/ops/remote-work.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Routes } from '../ports.ts';
import type { RemoteModule, RemotePlatform } from '../remote/module.ts';
import { facts } from '../remote/modules/facts.ts';
import { ping } from '../remote/modules/ping.ts';
import { type RemoteHost, type RemotePorts, runOnHosts } from '../remote/run-on-hosts.ts';
import { type RemoteProblem, wordRemoteProblem } from '../remote/words.ts';
import { openLogin } from './access.ts';

interface WorkOptions extends RemotePorts {
  readonly db: Db;
  readonly vault: Vault;
  readonly route: Routes;
}

interface AssetRow {
  id: string;
  hostname: string;
  ip: string;
  protocols: string[];
  is_active: boolean;
  base: RemotePlatform;
  charset: 'utf8' | 'gbk';
  old_ssh: boolean;
  admin_id: string | null;
  username: string | null;
  password: string | null;
  private_key: string | null;
}

const SKIPPED = {
  inactive: { en: 'it is disabled.', zh: '资产已禁用。' },
  protocol: { en: 'it does not offer SSH.', zh: '该资产不支持 SSH。' },
  platform: { en: 'its platform is not supported yet.', zh: '暂不支持其系统平台。' },
  account: { en: 'it has no admin user with a username and a password or a key.', zh: '没有带用户名以及密码或密钥的管理用户。' },
} as const satisfies Record<string, LocalText>;

/** Work on assets as their admin users. Sealed credentials are read with the asset and opened when its turn comes. */
export function createRemoteWork(options: WorkOptions): RemoteWork {
  return {
    test: (run) => work(options, ping, run),
    readHardware: (run) => work(options, facts, run),
  };
}

async function work<Result>(options: WorkOptions, module: RemoteModule<undefined, Result>, run: AssetRun<Result>): Promise<void> {
  await runOnHosts(options, {
    module,
    input: undefined,
    hosts: hostsOf(options, run),
    parallel: run.parallel,
    signal: run.signal,
    async onReport({ host, milliseconds, ...report }) {
      const about = { assetId: host.id, name: host.name, milliseconds };
      if (report.state === 'done') await run.onReport({ ...about, state: 'done', result: report.result });
      else await run.onReport({ ...about, state: 'failed', reason: textOf(report.problem) });
    },
  });
}

/** The assets that can be worked on; the others are reported right away. */
async function* hostsOf<Result>(options: WorkOptions, run: AssetRun<Result>): AsyncGenerator<RemoteHost> {
  for await (const ids of run.assets) {
    for (const row of await rowsOf(ids, options.db)) {
      if (run.signal.aborted) return;
      const host = hostOf(row, options);
      if ('open' in host) yield host;
      else await run.onReport({ assetId: row.id, name: row.hostname, milliseconds: 0, state: 'skipped', reason: host } satisfies AssetReport<Result>);
    }
  }
}

async function rowsOf(ids: readonly string[], db: Db): Promise<readonly AssetRow[]> {
  const { rows } = await sql<AssetRow>`
    select a.id, a.hostname, a.ip, a.protocols, a.is_active, p.base, p.charset, p.old_ssh, u.id as admin_id, u.username, u.password, u.private_key
    from asset a join platform p on p.name = a.platform left join admin_user u on u.id = a.admin_user_id where a.id = any(${ids}::uuid[]) order by a.id`.execute(
    db,
  );
  return rows;
}

function hostOf(row: AssetRow, { vault, route }: WorkOptions): RemoteHost | LocalText {
  const port = row.protocols.map(parseAssetProtocol).find((offered) => offered?.name === 'ssh')?.port;
  const { admin_id: adminId, username } = row;
  if (!row.is_active) return SKIPPED.inactive;
  if (port === undefined) return SKIPPED.protocol;
  if (row.base === 'Windows' || row.base === 'Other') return SKIPPED.platform;
  if (!adminId || !username || (!row.password && !row.private_key)) return SKIPPED.account;
  return {
    id: row.id,
    name: row.hostname,
    platform: row.base,
    charset: row.charset,
    async open() {
      const login = { username, ...openLogin(vault, 'admin_user', adminId, row) };
      const password = 'password' in login ? login.password : undefined;
      return {
        target: { id: row.id, name: row.hostname, host: row.ip, port, login, allowsOldSsh: row.old_ssh },
        gateways: await route.gateways(row.id),
        become: username === 'root' ? { method: 'none' } : { method: 'sudo', password },
      };
    },
  };
}

function textOf(problem: RemoteProblem): LocalText {
  return { en: wordRemoteProblem(problem, 'en'), zh: wordRemoteProblem(problem, 'zh') };
}
