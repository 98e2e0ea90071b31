import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { freePort } from '../free-port.ts';
import { type PrivateHost, startPrivateHost } from '../hosts/private-host.ts';
import { requirePeers } from '../peers.ts';

/** A private host with xrdp, whose sessions show an xterm on a plain background. */
export interface PrivateXrdp
  extends Pick<PrivateHost, 'host' | 'passwords' | 'inside' | 'cut' | 'stop'> {
  readonly port: number;
  /**
   * Checks that xrdp can show the files of a page to programs of this user's desktop, which needs
   * FUSE.
   * @throws Error with the missing part
   */
  requireFuse(user: keyof PrivateHost['passwords']): Promise<void>;
  /** Runs a script as a user on the user's desktop, and returns its output. */
  onDesktop(user: keyof PrivateHost['passwords'], script: string): Promise<string>;
}

/**
 * The session's start script. Tests look for its colors. A display may exist before it accepts
 * connections.
 */
const SESSION = `#!/bin/sh
until xsetroot -solid '#204060'; do sleep 0.05; done
[ -x "$HOME/.desktop" ] && "$HOME/.desktop" &
exec xterm -geometry 60x12+40+40 -bg '#ffffe0' -fg black
`;

/**
 * Starts a host. xrdp and its session manager have own ports and displays, and end with the host.
 */
export async function startPrivateXrdp(): Promise<PrivateXrdp> {
  requirePeers(
    'xrdp',
    'tigervnc-standalone-server',
    'xterm',
    'x11-xserver-utils',
    'xclip',
    'fuse3',
  );
  const host = await startPrivateHost();
  const port = await freePort();
  const manager = await freePort();
  try {
    await host.inside(setupOf({ port, manager, display: randomInt(200, 30_000) }));
    // xrdp connects to the session manager for each session. The latter's address depends on its
    // version.
    await answering(manager, ['127.0.0.1', '::1']);
    await answering(port, ['127.0.0.1']);
  } catch (error) {
    await host.stop();
    throw error;
  }
  const { passwords, inside, cut, stop } = host;
  return {
    host: '127.0.0.1',
    port,
    passwords,
    inside,
    requireFuse: async (user) => {
      const output = await inside(`su ${user} -c 'exec 3<>/dev/fuse' 2>&1 || :`);
      if (output !== '')
        throw new Error(`xrdp needs FUSE (modprobe fuse), but ${user} cannot open it: ${output}`);
    },
    onDesktop: (user, script) => inside(onDesktop(user, script)),
    cut,
    stop,
  };
}

/** A script that runs in the session of a user, with its display and X authority. */
function onDesktop(user: string, script: string): string {
  const bytes = Buffer.from(script).toString('base64');
  return `for process in /proc/[0-9]*; do
  [ "$(cat "$process/comm" 2>/dev/null)" = xterm ] &&
    [ "$(stat -c %U "$process")" = ${user} ] && break
done
value() { tr '\\0' '\\n' <"$process/environ" | sed -n "s/^$1=//p"; }
key=$(value XAUTHORITY)
exec su ${user} -c "cd; export DISPLAY=$(value DISPLAY) XAUTHORITY=\${key:-/home/${user}/.Xauthority}; echo ${bytes} | base64 -d | sh"`;
}

/** The configuration files of xrdp in the host's own `/etc`, and the start of its programs. */
function setupOf({
  port,
  manager,
  display,
}: {
  readonly port: number;
  readonly manager: number;
  readonly display: number;
}): string {
  return `set -e
cat >/etc/xrdp/startwm.sh <<'END'
${SESSION}END
chmod 755 /etc/xrdp/startwm.sh
cat >/etc/xrdp/xrdp.ini <<'END'
[Globals]
ini_version=1
fork=true
tcp_nodelay=true
port=tcp://127.0.0.1:${port}
security_layer=tls
certificate=
key_file=
ssl_protocols=TLSv1.2, TLSv1.3
autorun=Xvnc
allow_channels=true
bitmap_cache=true
bitmap_compression=true
bulk_compression=true
max_bpp=32
new_cursors=true
use_fastpath=both
[Logging]
LogFile=/var/log/xrdp.log
LogLevel=INFO
EnableSyslog=false
[Channels]
cliprdr=true
rdpdr=true
drdynvc=true
[Xvnc]
name=Xvnc
lib=libvnc.so
username=ask
password=ask
ip=127.0.0.1
port=-1
END
sed -i -e 's/^ListenPort=.*/ListenPort=${manager}/' -e 's/^X11DisplayOffset=.*/X11DisplayOffset=${display}/' -e 's/^EnableSyslog=.*/EnableSyslog=false/' \\
  -e 's#^LogFile=.*#LogFile=/var/log/sesman.log#' /etc/xrdp/sesman.ini
mkdir -p /run/xrdp/sockdir; chmod 1777 /run/xrdp/sockdir
setsid /usr/sbin/xrdp-sesman --nodaemon </dev/null >/dev/null 2>&1 &
setsid /usr/sbin/xrdp --nodaemon </dev/null >/dev/null 2>&1 &
`;
}

/** Waits until a port of one of the addresses accepts connections. */
async function answering(port: number, addresses: readonly string[]): Promise<void> {
  for (;;) {
    for (const address of addresses) if (await isOpen(port, address)) return;
    await new Promise((done) => setTimeout(done, 20));
  }
}

async function isOpen(port: number, address: string): Promise<boolean> {
  const socket = connect(port, address);
  const isConnected = await new Promise<boolean>((done) => {
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
  socket.destroy();
  return isConnected;
}
