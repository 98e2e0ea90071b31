import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { md4 } from '@sallyport/rdp';
import { freePort } from '../free-port.ts';
import { type PrivateHost, startPrivateHost } from '../hosts/private-host.ts';
import { requirePeers } from '../peers.ts';

/**
 * A private host with FreeRDP's server, which requires network level authentication and shows a
 * plain screen.
 */
export interface ShadowServer {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  stop(): Promise<void>;
}

/** Starts a server. It stores only the hash of its account's password. */
export async function startShadowServer(): Promise<ShadowServer> {
  requirePeers('freerdp2-shadow-x11', 'xvfb', 'x11-xserver-utils');
  const host: PrivateHost = await startPrivateHost();
  const port = await freePort();
  const password = host.passwords.plain;
  const hash = md4(Buffer.from(password, 'utf16le')).toString('hex');
  const display = randomInt(200, 30_000);
  try {
    await host.inside(`set -e
printf '%s\\n' 'desktop:::${hash}:::' >/run/sam
export HOME=/root
setsid Xvfb :${display} -screen 0 640x480x24 -noreset -nolisten tcp </dev/null >/dev/null 2>&1 &
until DISPLAY=:${display} xsetroot -solid '#204060' 2>/dev/null; do sleep 0.05; done
DISPLAY=:${display} setsid freerdp-shadow-cli /port:${port} /bind-address:127.0.0.1 /sec:nla \\
  /sam-file:/run/sam +auth </dev/null >/var/log/shadow.log 2>&1 &
echo $! >/run/shadow.pid
`);
    await answering(port, host);
  } catch (error) {
    await host.stop();
    throw error;
  }
  return { host: '127.0.0.1', port, username: 'desktop', password, stop: host.stop };
}

/** The state of the server's process, which has the name of the program only after a while. */
const STATUS = '"/proc/$(cat /run/shadow.pid)/status"';

async function answering(port: number, host: PrivateHost): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
    });
    socket.destroy();
    if (isOpen) return;
    if ((await host.inside(`grep -c '^State:.[^Z]' ${STATUS} || :`)).trim() !== '1')
      throw new Error(
        `the shadow server did not start: ${await host.inside('tail -5 /var/log/shadow.log')}`,
      );
    await new Promise((done) => setTimeout(done, 50));
  }
}
