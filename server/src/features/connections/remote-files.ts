import type { Route } from '../../gateway/protocols/connector.ts';
import { connectSsh } from '../../gateway/protocols/ssh/ssh.ts';
import { Refusal } from '../../gateway/refusal.ts';
import type { RemotePorts } from '../../gateway/remote/run-on-hosts.ts';
import { sql } from '../../platform/db/sql.ts';
import { type HostOptions, hostsFor } from './remote-hosts.ts';
import type { RemoteAccount, RemoteFiles } from './remote-work.ts';

/** Timeout of each step of connecting. */
const STEP_MS = 10_000;

/** Opens the files of an account without a user. @throws Refusal */
export async function openRemoteFiles(
  { assetId, systemUserId, username }: RemoteAccount,
  signal: AbortSignal,
  options: RemotePorts & HostOptions,
): Promise<RemoteFiles> {
  const { hostKeys, addresses, db } = options;
  const { rows } = await sql<{ root: string }>`
    select sftp_root as root from system_account where id::text = ${systemUserId}`.execute(db);
  const [account] = rows;
  const [found] = await Array.fromAsync(
    hostsFor(
      { kind: 'system_user', id: systemUserId, username },
      { assets: one(assetId), signal, purpose: 'files' },
      options,
    ),
  );
  if (!account || !found?.host || found.row.username !== username)
    throw new Refusal('connect_no_account');
  const { target, gateways } = await found.host.open();
  const route: Route = {
    gateways,
    target,
    certificate: await target.login.certify?.(undefined),
    hostKeys,
    addresses,
    timeoutMs: STEP_MS,
    onStage: () => undefined,
  };
  const connection = await connectSsh(route, signal);
  try {
    const files = await connection.openFiles(() => undefined);
    signal.addEventListener('abort', () => files.close(), { once: true });
    return { files, root: account.root };
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function* one(id: string): AsyncGenerator<readonly string[]> {
  yield [id];
}
