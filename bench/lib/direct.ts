import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestSshd } from '../../server/src/testing/ssh/sshd.ts';

/**
 * Starts the OpenSSH client with a terminal at the other end; the host key is checked against the
 * one the server has.
 */
export function openDirect(
  sshd: TestSshd,
  command: string,
  stdout: 'ignore' | 'pipe',
): ChildProcess {
  const options = [
    '-tt',
    '-q',
    '-F',
    'none',
    '-i',
    sshd.keyFile,
    '-p',
    String(sshd.port),
    '-o',
    `UserKnownHostsFile=${sshd.knownHostsFile}`,
    '-o',
    'BatchMode=yes',
  ];
  return spawn('ssh', [...options, `${sshd.username}@${sshd.host}`, command], {
    stdio: ['pipe', stdout, 'inherit'],
  });
}

/**
 * Milliseconds that a command takes over the OpenSSH client, connecting included, its output thrown
 * away.
 */
export async function timeDirect(sshd: TestSshd, command: string): Promise<number> {
  const began = performance.now();
  const [code] = await once(openDirect(sshd, command, 'ignore'), 'close');
  if (code !== 0) throw new Error(`ssh ended with ${code}`);
  return performance.now() - began;
}
