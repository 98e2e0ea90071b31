// npm test: makes sure that what the tests need is there, checks, builds, and runs every test; closes with the totals alone on a line.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureBuilt, ensureInstalled, fail, NODE, ROOT, run, runQuietly, runShown, say } from './lib.mjs';

/** Programs that the tests talk to, and Debian's packages that hold them. */
const PEERS = [
  { package: 'openssh-server', file: '/usr/sbin/sshd' },
  { package: 'openssh-client', file: '/usr/bin/ssh' },
  { package: 'chromium-headless-shell', file: '/usr/bin/chromium-headless-shell' },
  { package: 'fonts-noto-cjk', file: '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc' },
  { package: 'asciinema', file: '/usr/bin/asciinema' },
  { package: 'vim', file: '/usr/bin/vim' },
  { package: 'less', file: '/usr/bin/less' },
  { package: 'slapd', file: '/usr/sbin/slapd' },
  { package: 'inetutils-telnetd', file: '/usr/sbin/telnetd' },
  { package: 'python3-paramiko', file: '/usr/lib/python3/dist-packages/paramiko/__init__.py' },
  { package: 'rsync', file: '/usr/bin/rsync' },
  { package: 'openssl', file: '/usr/bin/openssl' },
  { package: 'nginx-light', file: '/usr/sbin/nginx' },
  { package: 'haproxy', file: '/usr/sbin/haproxy' },
  { package: 'sudo', file: '/usr/bin/sudo' },
  { package: 'busybox', file: '/usr/bin/busybox' },
  { package: 'freeradius', file: '/usr/sbin/freeradius' },
  { package: 'xmlsec1', file: '/usr/bin/xmlsec1' },
  { package: 'systemd', file: '/usr/bin/systemd-analyze' },
  { package: 'git', file: '/usr/bin/git' },
  { package: 'mariadb-server', file: '/usr/sbin/mariadbd' },
  { package: 'mariadb-client', file: '/usr/bin/mariadb' },
  { package: 'postgresql', file: '/usr/bin/pg_dump' },
  { package: 'redis-server', file: '/usr/bin/redis-server' },
  { package: 'xrdp', file: '/usr/sbin/xrdp' },
  { package: 'freerdp2-shadow-x11', file: '/usr/bin/freerdp-shadow-cli' },
  { package: 'xvfb', file: '/usr/bin/Xvfb' },
  { package: 'xterm', file: '/usr/bin/xterm' },
  { package: 'ansible-core', file: '/usr/bin/ansible' },
  { package: 'tigervnc-standalone-server', file: '/usr/bin/Xvnc' },
  { package: 'x11-xserver-utils', file: '/usr/bin/xsetroot' },
  { package: 'xclip', file: '/usr/bin/xclip' },
  { package: 'fuse3', file: '/usr/bin/fusermount' },
];

/**
 * Makes sure that the programs are there. Nothing is installed on a person's machine without being asked: only root may, and only where nobody sits
 * (CI, or no terminal) or where SALLYPORT_TEST_INSTALL=1 asks for it. Everybody else gets the command.
 */
function ensurePeers() {
  const missing = PEERS.filter((peer) => !existsSync(peer.file)).map((peer) => peer.package);
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  const { CI, SALLYPORT_TEST_INSTALL: wish } = process.env;
  const isWanted = wish === undefined ? CI === 'true' || !process.stdin.isTTY : wish === '1';
  if (!isWanted || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    fail(
      `The tests need programs that are not on this machine. Install them with: sudo ${command}\n` +
        'As root, SALLYPORT_TEST_INSTALL=1 lets the tests install them; CI=true does the same.',
    );
  say(`Installing ${missing.join(', ')} …`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const quiet = { stdio: ['ignore', 'ignore', 'inherit'], env: environment };
  run('apt-get', ['update', '-qq'], quiet);
  if (run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], quiet) !== 0)
    fail(`The programs could not be installed. Try: ${command}`);
}

const totals = { passed: 0, failed: 0 };

/** What failed, with the first lines of its reason: it is said again at the end, where a reader of a long log looks. */
const failures = [];

/** Keeps the names of the tests of one part that failed. */
function keepFailures(report) {
  for (const file of report?.testResults ?? []) {
    const name = relative(ROOT, file.name);
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    if (file.status === 'failed' && failed.length === 0) failures.push(`${name}\n${firstLines(file.message)}`);
    for (const test of failed) failures.push(`${name} > ${test.fullName}\n${firstLines(test.failureMessages.join('\n'))}`);
  }
}

function firstLines(text) {
  return (text ?? '')
    .split('\n')
    .slice(0, 8)
    .map((line) => `    ${line}`)
    .join('\n');
}

/** Runs one part of the tests and adds its totals. */
async function runTests(title, words) {
  say(`\n— ${title}`);
  const report = join(tmpdir(), `sallyport-tests-${process.pid}.json`);
  rmSync(report, { force: true });
  const status = await runShown(
    NODE,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...words],
    // Tests start the server more than a hundred times, as `npm start` does: what is compiled once is kept.
    { env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'), ...process.env } },
  );
  const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  rmSync(report, { force: true });
  keepFailures(result);
  totals.passed += result?.numPassedTests ?? 0;
  totals.failed += result?.numFailedTests ?? 0;
  // A file that does not load, or a run that broke off, has failed although no single test did.
  if (status !== 0 && !(result?.numFailedTests > 0)) {
    totals.failed += 1;
    failures.push(`${title}: ended with ${status}; an error outside of a test, or a file that does not load`);
  }
}

/** Runs the static checks behind everything else that wants the processors. */
async function check() {
  const onStart = ({ pid }) => setPriority(pid, constants.priority.PRIORITY_LOW);
  const { status, output } = await runQuietly(NODE, [join(ROOT, 'scripts/check.mjs')], { onStart });
  say(`\n— static checks\n${output.trimEnd()}`);
  if (status === 0) totals.passed += 1;
  else {
    totals.failed += 1;
    failures.push('scripts/check.mjs: see its output above');
  }
}

ensureInstalled();
ensurePeers();
// The build leaves a processor free now and then, and unit tests wait for timers and for programs; the checks use that time.
const checks = check();
ensureBuilt();
const only = process.argv.slice(2);
if (only.length > 0) await runTests('the chosen tests', only);
else await runTests('unit and integration tests', ['--project', '!e2e']);
await checks;
if (only.length === 0) await runTests('browser tests', ['--project', 'e2e']);
if (failures.length > 0) say(`\nFailed:\n${failures.join('\n')}`);
say(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed > 0 ? 1 : 0);
