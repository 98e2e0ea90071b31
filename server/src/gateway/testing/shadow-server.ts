import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { md4 } from '../protocols/rdp/md4.ts';
import { type PrivateHost, startPrivateHost } from './private-host.ts';
import { freePort } from './sshd.ts';

/** A host of its own with FreeRDP's server, which asks for network level authentication and shows a plain screen. */
export interface ShadowServer {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  stop(): Promise<void>;
}

const PEERS = { '/usr/bin/freerdp-shadow-cli': 'freerdp2-shadow-x11', '/usr/bin/Xvfb': 'xvfb', '/usr/bin/xsetroot': 'x11-xserver-utils' };

/** Starts one. It knows its account by its hash alone. */
export async function startShadowServer(): Promise<ShadowServer> {
  const missing = Object.entries(PEERS).flatMap(([file, name]) => (existsSync(file) ? [] : [name]));
  if (missing.length > 0) throw new Error(`Programs are missing; install them with: apt-get install -y ${missing.join(' ')}`);
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
DISPLAY=:${display} setsid freerdp-shadow-cli /port:${port} /bind-address:127.0.0.1 /sec:nla /sam-file:/run/sam +auth </dev/null >/var/log/shadow.log 2>&1 &
`);
    await answering(port, host);
  } catch (error) {
    await host.stop();
    throw error;
  }
  return { host: '127.0.0.1', port, username: 'desktop', password, stop: host.stop };
}

async function answering(port: number, host: PrivateHost): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
    });
    socket.destroy();
    if (isOpen) return;
    if ((await host.inside('pgrep -c freerdp-shadow || :')).trim() === '0')
      throw new Error(`the shadow server did not start: ${await host.inside('tail -5 /var/log/shadow.log')}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
