import { spawn } from 'node:child_process';
import { listenForTest, type TestDevice } from '../hosts/device.ts';
import { requirePeers } from '../peers.ts';

/**
 * Starts Debian's telnetd on a free loopback port, for accounts of this machine. Needs root, as
 * login(1) does.
 */
export async function startTelnetd(): Promise<TestDevice> {
  requirePeers('inetutils-telnetd');
  if (process.getuid?.() !== 0) throw new Error('telnetd needs root: run this test as root');
  return listenForTest((socket) => {
    // telnetd expects its connection on standard input and output, as from inetd.
    spawn('/usr/sbin/telnetd', ['-h'], { stdio: [socket, socket, 'ignore'] });
    socket.destroy();
  });
}
