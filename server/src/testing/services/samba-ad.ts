import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';

export const AD_SUFFIX = 'DC=ad,DC=example,DC=com';
/** Password of every user and of the administrator. */
export const AD_PASSWORD = 'Right-Pass-1x';
export const AD_ADMINISTRATOR = `CN=Administrator,CN=Users,${AD_SUFFIX}`;

const run = promisify(execFile);

/** A real domain controller of Samba in a separate folder, with its LDAP service only. */
export interface SambaAd {
  readonly url: string;
  /** Runs `samba-tool` on the data of the domain. */
  tool(...words: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

const answers = (host: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(389, host, () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

/** Creates a domain and starts its controller: about ten seconds. */
export async function startSambaAd(): Promise<SambaAd> {
  requirePeers('samba', 'samba-ad-provision', 'samba-dsdb-modules');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-samba-'));
  // The ports of the service are fixed, so each controller has its own address.
  const host = `127.${randomInt(10, 250)}.${randomInt(1, 250)}.${randomInt(2, 250)}`;
  await run('samba-tool', [
    'domain',
    'provision',
    '--realm=AD.EXAMPLE.COM',
    '--domain=AD',
    '--server-role=dc',
    '--dns-backend=NONE',
    `--adminpass=${AD_PASSWORD}`,
    `--targetdir=${folder}`,
    `--option=interfaces=${host}/8`,
    '--option=bind interfaces only=yes',
    '--option=server services=ldap',
    '--option=vfs objects=dfs_samba4',
  ]);
  const settings = join(folder, 'etc/smb.conf');
  const own = [
    'ldap server require strong auth = no',
    `log file = ${folder}/log`,
    `pid directory = ${folder}`,
    `ncalrpc dir = ${folder}/ncalrpc`,
  ];
  const text = readFileSync(settings, 'utf8').replace(/^\s*log file = .*\n/m, '');
  writeFileSync(settings, text.replace('[global]\n', `[global]\n${own.join('\n')}\n`));
  const child = spawn('/usr/sbin/samba', ['-F', '--no-process-group', '-s', settings], {
    stdio: 'ignore',
  });
  const closed = once(child, 'close');
  await until(() => answers(host), 'samba answers');
  return {
    url: `ldap://${host}`,
    async tool(...words) {
      await run('samba-tool', [...words, '-s', settings, '-H', join(folder, 'private/sam.ldb')]);
    },
    async stop() {
      child.kill();
      await closed;
      await removeFolder(folder);
    },
  };
}
