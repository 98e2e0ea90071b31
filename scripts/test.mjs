// npm test, npm run test:peers, test:browser and test:all: installs, checks, builds, and runs rings
// of tests.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { fail, NODE, ROOT, run, runQuietly, runShown, say } from './lib.mjs';
import { NOTES_PEERS, sayPeers } from './peers-run.mjs';

/** Debian packages of the second ring, each with a file that shows it is installed. */
const PEERS = JSON.parse(readFileSync(join(ROOT, 'scripts/peers.json'), 'utf8'));
/** The same of the browser ring. */
const BROWSER = {
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  'fonts-noto-cjk': '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
};

/** The rings in their order, with the vitest projects that belong to each. */
const RINGS = {
  first: {
    title: 'first ring',
    projects: ['contract', 'packages', 'web', 'web dom', 'server'],
    packages: {},
  },
  peers: { title: 'peers ring', projects: ['peers'], packages: PEERS },
  // Journeys connect to real servers, too.
  browser: { title: 'browser ring', projects: ['browser'], packages: { ...PEERS, ...BROWSER } },
  // Drills over the whole life of an installation take minutes. `all` runs a part of them.
  life: {
    title: 'life ring',
    part: ['-t', 'an asynchronous standby.*loses nothing silently'],
    projects: ['life'],
    packages: {
      'etcd-server': '/usr/bin/etcd',
      iproute2: '/usr/bin/ip',
      haproxy: PEERS.haproxy,
      patroni: '/usr/bin/patroni',
      postgresql: PEERS.postgresql,
    },
  },
};
const [wish = 'first', ...only] = process.argv.slice(2);
const chosen = wish === 'all' ? Object.keys(RINGS) : [wish];
if (chosen.some((name) => !(name in RINGS)))
  fail(`There is no ring ${wish}; there are ${Object.keys(RINGS).join(', ')} and all.`);

/**
 * Ensures that the Debian packages of a ring are installed. Installs them only as root, and only in
 * CI or with SALLYPORT_TEST_INSTALL=1.
 */
function ensurePackages({ title, packages }) {
  const missing = Object.keys(packages).filter((name) => !existsSync(packages[name]));
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  const { CI, SALLYPORT_TEST_INSTALL: asked } = process.env;
  const mayInstall = asked === undefined ? CI === 'true' : asked === '1';
  if (!mayInstall || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    fail(
      `The ${title} needs programs that are not on this machine. Install them with: sudo ${command}\n` +
        'As root, SALLYPORT_TEST_INSTALL=1 lets this command install them; CI=true does the same.',
    );
  say(`Installing ${missing.join(', ')} …`);
  const quiet = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  run('apt-get', ['update', '-qq'], quiet);
  if (run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], quiet) !== 0)
    fail(`The programs could not be installed. Try: ${command}`);
}

function ensureRoot({ title }) {
  if (process.getuid?.() !== 0)
    fail(
      `The ${title} needs root: its servers have accounts of their own. Run: sudo npm run test:${wish}`,
    );
}

/** True if this machine lets its root create networks: drills take them away from servers. */
function allowsNetworks() {
  const ip = (...words) => spawnSync('/usr/bin/ip', words, { stdio: 'ignore' }).status === 0;
  const name = `spprobe${process.pid % 100_000}`;
  const isAllowed = ip('netns', 'add', name) && ip('link', 'add', name, 'type', 'bridge');
  ip('link', 'del', name);
  ip('netns', 'del', name);
  return isAllowed;
}

const totals = { passed: 0, failed: 0 };

/** Failed tests with the first lines of the reason, for the end of a long log. */
const failures = [];

/** Tests of a whole run that passed at their second attempt, with the errors of the first. */
const second = [];

/** Keeps the names of the failed tests of one ring. */
function keepFailures(report) {
  for (const file of report?.testResults ?? []) {
    const name = relative(ROOT, file.name);
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    if (file.status === 'failed' && failed.length === 0)
      failures.push(`${name}\n${firstLines(file.message)}`);
    for (const test of failed)
      failures.push(`${name} > ${test.fullName}\n${firstLines(test.failureMessages.join('\n'))}`);
  }
}

function firstLines(text) {
  return (text ?? '')
    .split('\n')
    .slice(0, 12)
    .map((line) => `    ${line}`)
    .join('\n');
}

/**
 * Runs the tests of one ring and adds its totals. In a run of all rings, of half an hour and more,
 * a test may fail once and pass then: the end of the log names it, because it has to be fixed.
 */
async function runTests(title, words) {
  say(`\n— ${title}`);
  const report = join(tmpdir(), `sallyport-tests-${process.pid}.json`);
  const attempts = `${report}.attempts`;
  const status = await runShown(
    NODE,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      '--reporter=./scripts/attempts-reporter.mjs',
      ...(wish === 'all' ? ['--retry=1'] : []),
      ...words,
    ],
    // Tests start the server as `npm start` does: compiled code is kept between the starts.
    {
      env: {
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'),
        ...process.env,
        ...NOTES_PEERS,
        SALLYPORT_TEST_ATTEMPTS: attempts,
      },
    },
  );
  const result = takeJson(report);
  const { outside = [], later = [] } = takeJson(attempts) ?? {};
  keepFailures(result);
  for (const [name, errors] of later) second.push(`${name}\n${firstLines(errors)}`);
  const ring = { passed: result?.numPassedTests ?? 0, failed: result?.numFailedTests ?? 0 };
  // A file that does not load, or a run that broke off, has failed although no single test did.
  // So has a run that found no test.
  if (ring.failed === 0 && (status !== 0 || ring.passed === 0)) {
    ring.failed += 1;
    failures.push(`${title}: ended with ${status}, ${ring.passed} passed`);
  }
  for (const text of outside) failures.push(`${title}, outside of a test:\n${firstLines(text)}`);
  add(ring);
  say(`${title}: ${ring.passed} passed, ${ring.failed} failed`);
}

/** The content of a file that the run wrote, which it loses here. */
function takeJson(path) {
  if (!existsSync(path)) return undefined;
  const content = JSON.parse(readFileSync(path, 'utf8'));
  rmSync(path);
  return content;
}

function add({ passed, failed }) {
  totals.passed += passed;
  totals.failed += failed;
}

/** Runs the static checks behind everything else that wants the processors. */
async function check() {
  const onStart = ({ pid }) => setPriority(pid, constants.priority.PRIORITY_LOW);
  const { status, output } = await runQuietly(NODE, [join(ROOT, 'scripts/check.mjs')], { onStart });
  say(`\n— static checks\n${output.trimEnd()}`);
  if (status !== 0) failures.push('scripts/check.mjs: see its output above');
  add(status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}

/** Folders whose tests load their sources only, never the built pages and programs. */
const BY_SOURCES = /^(contract|packages|web\/src)(\/|$)/;
const needsBuild =
  only.length === 0 || only.some((word) => !BY_SOURCES.test(word) && word[0] !== '-');

const projectWords = (projects) => projects.flatMap((name) => ['--project', name]);

ensureInstalled();
for (const name of chosen) {
  ensurePackages(RINGS[name]);
  if (name === 'peers' || name === 'life') ensureRoot(RINGS[name]);
}
// The build leaves a processor free now and then, and tests wait for timers and for programs.
// Containers without rights over networks run everything else.
if (wish === 'all' && !allowsNetworks()) chosen.splice(chosen.indexOf('life'), 1);
const checks = chosen.includes('first') && only.length === 0 ? check() : undefined;
if (needsBuild) ensureBuilt();
for (const name of chosen) {
  const { title, projects, part = [] } = RINGS[name];
  const words = wish === 'all' ? part : [];
  await runTests(title, [...projectWords(projects), ...words, ...only]);
  if (name === 'first') await checks;
}
sayPeers();
if (second.length > 0) say(`\nPassed at the second attempt only:\n${second.join('\n')}`);
if (failures.length > 0) say(`\nFailed:\n${failures.join('\n')}`);
const left = Object.keys(RINGS).filter((name) => !chosen.includes(name));
if (left.length > 0)
  say(
    `\nNot run: ${left.map((name) => `npm run test:${name}`).join(', ')}; all of them: npm run test:all`,
  );
say(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exit(totals.failed > 0 ? 1 : 0);
