import { spawn } from 'node:child_process';
import { requirePeers } from '../../testing/peers.ts';
import { listenForTest, type TestDevice } from './device.ts';

/** Starts Debian's telnetd on a free loopback port; accounts of this machine sign in. Needs root, as login(1) does. */
export async function startTelnetd(): Promise<TestDevice> {
  requirePeers('inetutils-telnetd');
  if (process.getuid?.() !== 0) throw new Error('telnetd needs root: run this test as root');
  return listenForTest((socket) => {
    // It is made for inetd, which hands a connection over as input and output.
    spawn('/usr/sbin/telnetd', ['-h'], { stdio: [socket, socket, 'ignore'] });
    socket.destroy();
  });
}
