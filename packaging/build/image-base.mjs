// The lowest layer of the image: glibc, the libraries of C++ and a shell, from Debian packages with
// the hashes of packaging/container/base.json.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CACHE, fail, ROOT } from '../../scripts/lib.mjs';
import { sha256 } from './archive.mjs';
import { keepOnly } from './contents.mjs';
import { put } from './deb.mjs';

const BASE_FILE = 'packaging/container/base.json';
const { suite: SUITE, ...BASE } = JSON.parse(readFileSync(join(ROOT, BASE_FILE), 'utf8'));

/** Libraries, their loader and the shell; no documents and no character sets of iconv. */
const NEEDED = /\.so(\.[\d.]+)?$|(^|\/)(ld-linux[^/]*|busybox|copyright)$/;
const NOT_NEEDED = /\/(gconv|audit)\//;
/** The script `sallyport` calls these programs, and initdb runs others through the shell. */
const SHELL_NAMES = ['sh', 'dirname', 'readlink'];

/** Account of the server, as in packaging/container/Dockerfile. */
export const ACCOUNT = 10_001;

const ACCOUNTS = {
  'etc/passwd': `root:x:0:0:root:/:/bin/sh\nsallyport:x:${ACCOUNT}:${ACCOUNT}::/var/lib/sallyport:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
  'etc/group': `root:x:0:\nsallyport:x:${ACCOUNT}:\nnogroup:x:65534:\n`,
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** Returns name, version and hash of the Debian packages in images of an architecture. */
export const basePackages = (architecture) =>
  Object.entries(BASE[architecture]).map(([name, { version, sha256: hash }]) => ({
    name,
    version,
    hash,
    architecture,
  }));

/** Lets apt-get load packages of any architecture, without a change of this machine. */
function download({ architecture, names, folder }) {
  const settings = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'Dir::State::lists': join(folder, 'lists'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(folder, 'cache'),
    'Dir::Etc::sourcelist': join(folder, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Acquire::Languages': 'none',
    'APT::Sandbox::User': 'root',
  };
  for (const name of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true });
  const signedBy = '[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]';
  const mirror = 'http://deb.debian.org/debian';
  writeFileSync(
    join(folder, 'sources.list'),
    `deb ${signedBy} ${mirror} ${SUITE} main\ndeb ${signedBy} ${mirror}-security ${SUITE}-security main\n`,
  );
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  for (const words of [['update'], ['download', ...names]]) {
    const { status } = spawnSync('apt-get', ['-qq', ...options, ...words], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0)
      fail(`apt-get ${words.join(' ')} failed. Images need a Debian to be built on; \
if Debian has newer packages, write their versions and hashes into ${BASE_FILE}.`);
  }
}

/** Returns the files of the Debian packages; later calls need no network. */
function debianFiles(architecture) {
  const kept = join(CACHE, 'packages');
  mkdirSync(kept, { recursive: true });
  const packages = basePackages(architecture).map(({ name, version, hash }) => ({
    name,
    version,
    hash,
    file: join(kept, `${hash}.deb`),
  }));
  const isKept = ({ file, hash }) => existsSync(file) && sha256(readFileSync(file)) === hash;
  const missing = packages.filter((wanted) => !isKept(wanted));
  if (missing.length > 0) {
    const folder = mkdtempSync(join(kept, 'fresh-'));
    const names = missing.map(({ name, version }) => `${name}=${version}`);
    download({ architecture, names, folder });
    for (const { name, file, hash } of missing) {
      const fresh = readdirSync(folder).find((entry) => entry.startsWith(`${name}_`));
      if (sha256(readFileSync(join(folder, fresh))) !== hash)
        fail(`${fresh} is not what ${BASE_FILE} names: its hash differs.`);
      renameSync(join(folder, fresh), file);
    }
    rmSync(folder, { recursive: true });
  }
  return packages;
}

const dpkgDeb = (...words) => {
  const { status, stdout } = spawnSync('dpkg-deb', words, { encoding: 'utf8' });
  if (status !== 0) fail(`dpkg-deb ${words.join(' ')} failed.`);
  return stdout;
};

/** Makes the files of the lowest layer in `folder`. */
export function makeBase(folder, architecture) {
  for (const { name, file } of debianFiles(architecture)) {
    dpkgDeb('--extract', file, folder);
    // Scanners read the names of packages here, where images without dpkg have them.
    const control = dpkgDeb('--field', file);
    put(join(folder, 'var/lib/dpkg/status.d', name.replaceAll('+', '')), control);
  }
  const isNeeded = (path) => NEEDED.test(path) && !NOT_NEEDED.test(path);
  keepOnly(folder, (path) => path.startsWith('var/') || isNeeded(path));
  for (const [name, text] of Object.entries(ACCOUNTS)) put(join(folder, name), text);
  for (const name of ['tmp', 'usr/bin']) mkdirSync(join(folder, name), { recursive: true });
  for (const name of SHELL_NAMES) symlinkSync('busybox', join(folder, 'bin', name));
  symlinkSync('../lib/sallyport/sallyport', join(folder, 'usr/bin/sallyport'));
  for (const path of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (path.isDirectory()) chmodSync(join(path.parentPath, path.name), 0o755);
  chmodSync(join(folder, 'tmp'), 0o1777);
}
