import type { Config } from '../../config.ts';
import { type OpenSsh, openSshClients } from './open-ssh.ts';
import { type SshWorld, startWorld } from './ssh-world.ts';
import { startSshd, type TestSshd } from './sshd.ts';

/**
 * An {@link SshWorld} with OpenSSH on both sides: sshd as target, OpenSSH's programs as clients.
 */
export type OpenSshWorld = SshWorld<TestSshd, OpenSsh>;

export function startOpenSshWorld(changes: Partial<Config> = {}): Promise<OpenSshWorld> {
  return startWorld(changes, startSshd({ config: ['AcceptEnv LANG LC_*'] }), openSshClients);
}
