// The Debian package: the program below /usr/lib/sallyport, owned by root, with its unit.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fail, ROOT } from '../../scripts/lib.mjs';
import { arOf, compressed, tarOf } from './archive.mjs';
import { asJson } from './tree.mjs';

const SOURCES = join(ROOT, 'packaging/debian');
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
/** The package replaces these lines in the unit of a checkout. */
const UNIT_CHANGES = [
  [
    /^# Runs Sallyport from .*\n# The program .*\n# Settings are .*\n/m,
    '# Runs Sallyport. Its settings are in /etc/default/sallyport.\n',
  ],
  [/^WorkingDirectory=.*$/m, 'WorkingDirectory=/var/lib/sallyport'],
  // Commands of operators need the settings as well: /usr/sbin/sallyport reads them for both.
  [/^EnvironmentFile=.*\n/m, ''],
  [/^ExecStart=.*$/m, 'ExecStart=/usr/sbin/sallyport start'],
  [/^ExecReload=.*$/m, 'ExecReload=/usr/sbin/sallyport upgrade'],
];

/** Returns the unit of the package, made from that of a checkout. */
export function unitOfPackage() {
  const unit = readFileSync(join(ROOT, 'packaging/systemd/sallyport.service'), 'utf8');
  return UNIT_CHANGES.reduce((text, [from, to]) => {
    if (!from.test(text)) fail(`packaging/systemd/sallyport.service has no line like ${from}.`);
    return text.replace(from, to);
  }, unit);
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .sort();

/** Writes a file and the folders above it. Its mode does not depend on the umask. */
export function put(path, content, mode = 0o644) {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, mode);
}

/** Directories come with the umask. */
function openFolders(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) openFolders(join(folder, entry.name));
}

/** Returns the bytes of the package. `work` is a folder for its trees. */
export function debOf(tree, work, { debVersion, architecture, epoch }) {
  rmSync(work, { recursive: true, force: true });
  const [data, control] = [join(work, 'data'), join(work, 'control')];
  const source = (name) => readFileSync(join(SOURCES, name), 'utf8');
  cpSync(tree, join(data, 'usr/lib/sallyport'), { recursive: true, verbatimSymlinks: true });
  const build = join(data, 'usr/lib/sallyport/server/dist/build.json');
  const facts = JSON.parse(readFileSync(build, 'utf8'));
  put(build, asJson({ ...facts, start: 'systemctl start sallyport' }));
  put(join(data, 'usr/lib/systemd/system/sallyport.service'), unitOfPackage());
  put(join(data, 'usr/sbin/sallyport'), source('sallyport'), 0o755);
  put(join(data, 'etc/default/sallyport'), source('default'), 0o600);
  const documents = join(data, 'usr/share/doc/sallyport');
  put(join(documents, 'copyright'), readFileSync(join(tree, 'LICENSE')));
  openFolders(data);

  const files = filesBelow(data);
  const bytes = files.reduce((sum, path) => sum + lstatSync(join(data, path)).size, 0);
  const sums = files
    .filter((path) => !path.startsWith('etc/'))
    .map((path) => {
      const sum = createHash('md5')
        .update(readFileSync(join(data, path)))
        .digest('hex');
      return `${sum}  ${path}\n`;
    });
  const words = { VERSION: debVersion, ARCHITECTURE: architecture, SIZE: Math.ceil(bytes / 1024) };
  put(
    join(control, 'control'),
    source('control').replace(/@(\w+)@/g, (_, name) => words[name]),
  );
  put(join(control, 'md5sums'), sums.join(''));
  put(join(control, 'conffiles'), '/etc/default/sallyport\n');
  for (const name of SCRIPTS) put(join(control, name), source(name), 0o755);
  openFolders(control);
  return arOf(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', compressed(tarOf(control, { epoch }))],
      ['data.tar.gz', compressed(tarOf(data, { epoch }))],
    ],
    epoch,
  );
}
