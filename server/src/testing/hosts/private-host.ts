import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { removeFolder } from '../remove-folder.ts';

const run = promisify(execFile);

/**
 * A private host for one test: an sshd in its own mount and process namespaces, with its own
 * `/etc`, `/home`, `/root`, `/run` and logs.
 */
export interface PrivateHost {
  readonly host: string;
  readonly port: number;
  /** Opens every account of the host. */
  readonly privateKey: string;
  readonly publicKey: string;
  /**
   * Passwords of the accounts: `root`; `admin` with sudo and NOPASSWD; `deputy` with sudo; `plain`
   * without sudo.
   */
  readonly passwords: Readonly<Record<'root' | 'admin' | 'deputy' | 'plain', string>>;
  /** Runs a constant script on the host as root, and returns its output. */
  inside(script: string): Promise<string>;
  /** Kills the processes of all connections, like a power failure; sshd keeps running. */
  cut(): Promise<void>;
  stop(): Promise<void>;
}

/** `busybox`: the host has only busybox and sshd. */
export type PrivateHostKind = 'debian' | 'busybox';

/**
 * Sets up the namespaces, which discard all changes at the end. $1: the folder of the test, $2: the
 * kind.
 */
const SETUP = String.raw`
set -e
dir=$1; kind=$2
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$dir/root"
mkdir "$dir/root/etc" "$dir/root/bin" "$dir/root/sbin"
# Skip lock files: other tests create accounts on this machine at the same time.
tar -C /etc -cf - --exclude="*.lock" . | tar -C "$dir/root/etc" -xpf -
mount --bind "$dir/root/etc" /etc
for place in /home /root /run /var/log /var/lib/sudo /var/mail; do
  mkdir -p "$place"; mount -t tmpfs -o mode=755 tmpfs "$place"
done
mkdir -p /run/sshd /run/sudo
# Without udev only root may open /dev/fuse, but the host's accounts mount with their own rights.
if grep -qw fuse /proc/filesystems && [ -e /dev/fuse ]; then
  mknod -m 666 "$dir/root/fuse" c 10 229
  mount --bind "$dir/root/fuse" /dev/fuse
fi
mount -t proc proc /proc
printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' >/etc/passwd.root
grep -v '^root:' /etc/passwd >>/etc/passwd.root
mv /etc/passwd.root /etc/passwd
for name in admin deputy plain; do
  userdel -f "$name" >/dev/null 2>&1 || :
  useradd -m -U -s /bin/sh "$name"
  mkdir -m 700 "/home/$name/.ssh"
  cp "$dir/key.pub" "/home/$name/.ssh/authorized_keys"
  chown -R "$name:$name" "/home/$name"
done
mkdir -m 700 /root/.ssh; cp "$dir/key.pub" /root/.ssh/authorized_keys
chpasswd <"$dir/passwords"
rm -rf /etc/sudoers.d; mkdir -m 750 /etc/sudoers.d
printf '%s\n' 'Defaults env_reset' 'root ALL=(ALL:ALL) ALL' 'admin ALL=(ALL) NOPASSWD: ALL' 'deputy ALL=(ALL) ALL' '@includedir /etc/sudoers.d' >/etc/sudoers
chmod 440 /etc/sudoers
if [ "$kind" = busybox ]; then
  cp /usr/bin/busybox "$dir/root/bin/busybox"
  cp /usr/sbin/sshd "$dir/root/sbin/sshd"
  mount --bind "$dir/root/sbin" /usr/sbin
  for name in $(/usr/bin/busybox --list); do [ "$name" = busybox ] || ln -s busybox "$dir/root/bin/$name"; done
  mount --bind "$dir/root/bin" /usr/bin
fi
exec /usr/sbin/sshd -D -e -f "$dir/sshd_config"
`;

/** Starts a host. Needs root for creating accounts; never changes the accounts of this machine. */
export async function startPrivateHost(kind: PrivateHostKind = 'debian'): Promise<PrivateHost> {
  requirePeers('openssh-server', 'openssh-client', 'sudo', 'busybox');
  if (process.getuid?.() !== 0) throw new Error('a private host needs root: run the tests as root');
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-host-'));
  await mkdir(join(directory, 'root'));
  const keyFile = join(directory, 'key');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', keyFile]);
  await run('ssh-keygen', [
    '-q',
    '-t',
    'ed25519',
    '-N',
    '',
    '-C',
    'host',
    '-f',
    join(directory, 'host_key'),
  ]);
  const secret = () => randomBytes(12).toString('base64url');
  const passwords = { root: secret(), admin: secret(), deputy: secret(), plain: secret() };
  await writeFile(
    join(directory, 'passwords'),
    Object.entries(passwords).map(([name, password]) => `${name}:${password}\n`),
    { mode: 0o600 },
  );
  const port = await freePort();
  const config = [
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${join(directory, 'host_key')}`,
    'PidFile none',
    'StrictModes yes',
    'UsePAM no',
    'PasswordAuthentication yes',
    'PermitRootLogin yes',
    'MaxStartups 300',
    'LogLevel ERROR',
    'PrintMotd no',
  ];
  await writeFile(join(directory, 'sshd_config'), `${config.join('\n')}\n`);
  const words = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '/bin/sh',
    '-c',
    SETUP,
    'setup',
    directory,
    kind,
  ];
  const space = spawn('unshare', words, { stdio: ['ignore', 'ignore', 'pipe'] });
  const complaints: Buffer[] = [];
  space.stderr?.on('data', (chunk: Buffer) => complaints.push(chunk));
  const stop = async () => {
    if (space.exitCode === null && space.signalCode === null) {
      const ended = once(space, 'exit');
      space.kill('SIGKILL');
      await ended;
    }
    await removeFolder(directory);
  };
  try {
    await answers(space, port);
  } catch {
    await stop();
    throw new Error(`the private host did not start: ${Buffer.concat(complaints).toString()}`);
  }
  const first = (await readFile(`/proc/${space.pid}/task/${space.pid}/children`, 'utf8')).trim();
  const inside = async (script: string) =>
    (await run('nsenter', ['-t', first, '-m', '-p', '/bin/sh', '-c', script])).stdout;
  return {
    host: '127.0.0.1',
    port,
    privateKey: await readFile(keyFile, 'utf8'),
    publicKey: (await readFile(`${keyFile}.pub`, 'utf8')).trim(),
    passwords,
    inside,
    // Process 1 is sshd. Stop all processes before killing the first: none may react to the end of
    // another.
    cut: async () =>
      void (await inside(
        'cd /proc; set --; for p in [0-9]*; do [ "$p" = 1 ] || [ "$p" = $$ ] || set -- "$@" "$p"; done; kill -STOP "$@" 2>/dev/null; kill -KILL "$@" 2>/dev/null; :',
      )),
    stop,
  };
}

/** Waits until the port answers; fails if the process ends. */
async function answers(space: ChildProcess, port: number): Promise<void> {
  while (space.exitCode === null && space.signalCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error('it ended');
}
