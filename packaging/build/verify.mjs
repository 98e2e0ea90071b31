// npm run package -- --verify: starts what was packed, without a network and without npm. Needs
// root, to become ordinary accounts and to install the Debian package in a throw-away overlay of
// this machine.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, ROOT, say } from '../../scripts/lib.mjs';

const TRIAL = join(ROOT, 'packaging/build/trial.mjs');

/**
 * Runs a script of the shell in a network without other machines and with its own mounts. Its words
 * are `$1` and so on.
 */
function alone(script, ...words) {
  const isolated = ['--net', '--mount', '--', 'sh', '-ec', `ip link set lo up\n${script}`, 'sh'];
  const { status } = spawnSync('unshare', [...isolated, ...words], {
    stdio: 'inherit',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
  });
  if (status !== 0) fail(`The trial ended with status ${status}.`);
}

/** Becomes the account `nobody` in its own folder, on a machine that has neither Node nor npm. */
const TARBALL = `
folder=$1 archive=$2 version=$3 commit=$4
for name in npm node; do
  program=$(command -v $name) && mount --bind /dev/null "$(readlink -f "$program")"
done
tar -xzf "$archive" -C "$folder" --no-same-owner
install -d -o nobody -g nogroup -m 700 "$folder/data"
cd "$folder/data"
exec setpriv --reuid=nobody --regid=nogroup --clear-groups \\
  "$folder"/sallyport-*/bin/node "$folder/trial.mjs" "$folder"/sallyport-*/sallyport "$version" "$commit"`;

/** Installs into an overlay: afterwards this machine is as before. */
const DEBIAN = `
folder=$1 package=$2 version=$3 commit=$4
mount -t tmpfs none "$folder/overlay"
mkdir "$folder/overlay/upper" "$folder/overlay/work" "$folder/overlay/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/overlay/upper,workdir=$folder/overlay/work" \\
  "$folder/overlay/root"
cp "$package" "$folder/overlay/root/sallyport.deb"
cp "$folder/trial.mjs" "$folder/overlay/root/trial.mjs"
mount -t proc proc "$folder/overlay/root/proc"
mount --rbind /dev "$folder/overlay/root/dev"
exec chroot "$folder/overlay/root" sh -ec '
  rm -f /usr/bin/npm /usr/bin/node
  dpkg --install /sallyport.deb
  dpkg --verify sallyport
  if command -v systemd-analyze >/dev/null; then
    systemd-analyze verify /usr/lib/systemd/system/sallyport.service
    echo "  systemd-analyze verify finds no fault"
  fi
  stray=$(find /usr/lib/sallyport \\( ! -user root -o ! -group root -o -perm /022 \\) ! -type l)
  [ -z "$stray" ] || { echo "not of root alone: $stray"; exit 1; }
  echo "  code belongs to root, and others cannot write it"
  [ "$(stat -c %U:%G:%a /etc/default/sallyport)" = root:sallyport:640 ]
  [ "$(stat -c %U:%G:%a /var/lib/sallyport)" = sallyport:sallyport:700 ]
  cd /var/lib/sallyport
  runuser -u sallyport -- /usr/lib/sallyport/bin/node /trial.mjs /usr/sbin/sallyport "$1" "$2"
  [ "$(sallyport --version)" = "Sallyport $1 ($2)" ]
  echo "SALLYPORT_HTTP_PORT=1" >> /etc/default/sallyport
  dpkg --install /sallyport.deb
  tail -n 1 /etc/default/sallyport | grep -q PORT=1
  echo "  an upgrade keeps the settings"
  dpkg --purge sallyport
  [ -d /var/lib/sallyport/postgres ]
  [ ! -e /usr/lib/sallyport ] && [ ! -e /etc/default/sallyport ]
  echo "  a purge leaves the data and nothing else"
' sh "$version" "$commit"`;

/** Runs the image without network, capabilities and a writable file system but its volume. */
const IMAGE = `
folder=$1 image=$2 version=$3 commit=$4
mount -t cgroup2 cgroup2 /sys/fs/cgroup
store="podman --root $folder/images --runroot $folder/running --cgroup-manager cgroupfs"
loaded=$($store load --quiet --input "$image" | sed 's/^Loaded image: //')
files=$(ulimit -Hn)
exec $store run --rm --cgroups disabled --network none --read-only --tmpfs /tmp --cap-drop ALL \\
  --security-opt no-new-privileges --ulimit nofile=$files:$files --ulimit nproc=4096:4096 \\
  --volume "$folder/trial.mjs:/trial.mjs:ro" --entrypoint /usr/lib/sallyport/bin/node \\
  "$loaded" /trial.mjs /usr/bin/sallyport "$version" "$commit"`;

/** Tries the tarball, the Debian package and the image of this machine's platform. */
export function tryPackages(target, { version, commit }) {
  if (process.getuid?.() !== 0) fail('--verify needs root.');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  chmodSync(folder, 0o711);
  cpSync(TRIAL, join(folder, 'trial.mjs'));
  chmodSync(join(folder, 'trial.mjs'), 0o644);
  mkdirSync(join(folder, 'overlay'));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const file = (end) =>
    join(
      target,
      readdirSync(target).find((name) => name.endsWith(end)),
    );
  try {
    say('The tarball, as nobody and without a network:');
    alone(TARBALL, folder, file(`-${process.platform}-${process.arch}.tar.gz`), version, commit);
    say('The Debian package, in an overlay of this machine:');
    alone(DEBIAN, folder, file(`_${architecture}.deb`), version, commit);
    if (spawnSync('podman', ['--version']).status === 0) {
      say('The image, in podman:');
      alone(IMAGE, folder, file(`-image-${architecture}.tar`), version, commit);
    } else say('The image was not run: podman is missing.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
