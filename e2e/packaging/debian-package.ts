import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { freePort } from '../../server/src/testing/free-port.ts';
import { until } from '../../server/src/testing/poll.ts';
import type { TestSshd } from '../../server/src/testing/ssh/sshd.ts';
import { Visitor } from '../harness/browser.ts';
import { buildGranted } from '../harness/build.ts';
import { signedIn } from '../harness/server.ts';
import { signInByForm } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';
import { runnableCommands } from './guide-commands.ts';
import { Machine } from './machine.ts';
import { settings } from './packaged.ts';
import type { Space } from './space.ts';

const execute = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const NAME = 'sallyport';
const SETTINGS = '/etc/default/sallyport';
/** A password with each character that readers of such files treat in their own ways. */
const PASSWORD = `a "b" $c \`d\` #e \\f;g 密码 1`;
const VERSIONS = ['1.0', '1.1'] as const;

type Say = (line: string) => void;

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`);
}

/** Makes the package of this commit, and two versions of it for upgrades. */
async function makeVersions(tree: string): Promise<void> {
  await execute(process.execPath, [join(ROOT, 'packaging/build/package.mjs')], { cwd: ROOT });
  const target = join(ROOT, 'dist/package');
  const file = (await readdir(target)).find((name) => name.endsWith('_amd64.deb')) ?? '';
  const work = await mkdtemp(join(tree, 'var/tmp/versions-'));
  await execute('dpkg-deb', ['--raw-extract', join(target, file), join(work, 'package')]);
  const control = join(work, 'package/DEBIAN/control');
  const text = await readFile(control, 'utf8');
  for (const version of VERSIONS) {
    await writeFile(control, text.replace(/^Version: .*$/m, `Version: ${version}`));
    const words = ['-Znone', '--root-owner-group', '--build', join(work, 'package')];
    await execute('dpkg-deb', [...words, join(tree, `root/sallyport_${version}.deb`)]);
  }
  await rm(work, { recursive: true });
}

/** Prints the settings that systemd reads. Starting it waits for its end. */
const READER = `[Service]
Type=oneshot
EnvironmentFile=/root/settings
StandardOutput=truncate:/root/environment
ExecStart=/usr/bin/env -0
`;

/** Reads the output of `env -0`. */
const variablesIn = (output: string): ReadonlyMap<string, string> =>
  new Map(
    output
      .split('\0')
      .slice(0, -1)
      .map((entry) => {
        const sign = entry.indexOf('=');
        return [entry.slice(0, sign), entry.slice(sign + 1)];
      }),
  );

/** Compares our reader of settings with that of systemd. */
async function compareReaders(machine: Machine, tree: string, text: string): Promise<void> {
  const file = join(tree, 'root/settings');
  await writeFile(file, text);
  await machine.within('systemctl', 'start', 'reader.service');
  const expected = variablesIn(await readFile(join(tree, 'root/environment'), 'utf8'));
  const words = [join(ROOT, 'packaging/program/with-settings.mjs'), file, '/usr/bin/env', '-0'];
  const { stdout } = await execute(process.execPath, words, { env: {} });
  for (const [name, value] of variablesIn(stdout))
    expect(expected.get(name) === value, `systemd reads ${name} of ${JSON.stringify(text)}`);
}

/** Files of settings that end with a plain line, so that open quotes show as well. */
const TEXTS = [
  ...['"', "'", '\\', '#', ';', '$', '`', ' ', '\t', '=', '密', '\r', '\n'].flatMap((char) => [
    `A=a${char}b\nZ=1\n`,
    `A="a${char}b"\nZ=1\n`,
    `A='a${char}b'\nZ=1\n`,
    `A=${char}\nZ=1\n`,
    `A="a\\${char}b"\nZ=1\n`,
  ]),
  '  A  =  spaced  \n#c\n;d\n\nexport B=1\nC\n1D=x\nE="x" y "z"\nF=\nG=one \\\ntwo',
];

/** Runs the commands of the guide as root of the machine. Returns the printed password of admin. */
async function runGuide(
  root: (script: string) => Promise<string>,
  { session, accessKey }: { readonly session: string; readonly accessKey: string },
  say: Say,
): Promise<string> {
  await root(`install -d -o sallyport -g sallyport -m 700 /backup /backup-keys /secure
    umask 077 && echo '${accessKey}' > /secure/key.txt && chown sallyport /secure/key.txt`);
  let password = '';
  // The commands for accounts come last: they revoke the access key.
  const isOfAccount = (command: string) => Number(command.startsWith('user '));
  const commands = runnableCommands().toSorted((a, b) => isOfAccount(a) - isOfAccount(b));
  for (const command of commands) {
    if (command.startsWith('restore ')) continue;
    const words = command.replace(/--session=\S+/, `--session=${session}`);
    if (command.includes('2026-11-20'))
      await root('cp -a /backup/sallyport-$(date +%F) /backup/sallyport-2026-11-20');
    // Status 2 means findings: the logs of a new server were never verified.
    const output = await root(`cd /secure && sallyport ${words} || [ $? = 2 ]`);
    expect(!/npm (run|start)/.test(output), `sallyport ${words} names commands of a package`);
    password = /new password of admin is (\S+)/.exec(output)?.[1] ?? password;
  }
  say(`runs each of the ${commands.length} commands of the guide as written`);
  return password;
}

/**
 * Installs the Debian package in a separate Debian with its own systemd, upgrades it below a live
 * session, runs the commands of the guide, restores, downgrades, removes and purges it.
 */
export async function tryDebianPackage(
  space: Space,
  tree: string,
  { browser, sshd, say }: { browser: Browser; sshd: TestSshd; say: Say },
): Promise<void> {
  // A package brings its own Node.
  for (const name of ['usr/local/bin/node', 'usr/local/bin/npm', 'usr/bin/node', 'usr/bin/npm'])
    await rm(join(tree, name), { force: true });
  await makeVersions(tree);
  const [older, newer] = VERSIONS.map((version) => `/root/sallyport_${version}.deb`);
  const machine = new Machine(space, tree);
  const root = (script: string) =>
    machine.within('/usr/bin/env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'sh', '-ec', script);
  const install = 'apt-get install --yes --quiet --no-install-recommends';
  try {
    await machine.boot(async () =>
      /running|degraded/.test(await root('systemctl is-system-running || true')),
    );
    await writeFile(join(tree, 'etc/systemd/system/reader.service'), READER);
    await root('systemctl daemon-reload');
    for (const text of TEXTS) await compareReaders(machine, tree, text);
    say(`its reader of settings agrees with systemd in ${TEXTS.length} files`);

    await root(`${install} ${older}`);
    const first = await root('sallyport doctor || [ $? = 2 ]');
    expect(/The first start makes one: systemctl start sallyport/.test(first), `doctor: ${first}`);
    const [httpPort, sshPort] = [await freePort(), await freePort()];
    const lines = Object.entries(settings('', httpPort, sshPort))
      .filter(([name]) => name !== 'SALLYPORT_ADMIN_PASSWORD')
      .map(([name, value]) => `${name}=${value}\n`);
    await writeFile(
      join(tree, SETTINGS),
      `${lines.join('')}SALLYPORT_PROCESSES=2\nSALLYPORT_ADMIN_PASSWORD='${PASSWORD}'\n`,
    );
    const kept = await readFile(join(tree, SETTINGS), 'utf8');
    await root(`systemctl enable --now ${NAME}`);
    const url = `http://127.0.0.1:${httpPort}`;
    const isWell = () =>
      fetch(`${url}/api/health/`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until(isWell, 'the service is well', 120_000);
    const admin = await signedIn(url, { username: 'admin', password: PASSWORD });
    say('starts with a password of special characters in its settings');

    const { person, asset } = await buildGranted(admin, sshd);
    const visitor = await Visitor.open(browser, url, { language: 'en' });
    await signInByForm(visitor, person, '/luna/');
    const terminal = await connectTo(visitor.page, 'en', asset);
    await terminal.ready();
    const process = () => root(`systemctl show --property=MainPID,NRestarts ${NAME}`);
    const before = await process();
    for (const change of [`${install} ${newer}`, `systemctl reload ${NAME}`]) {
      await root(change);
      await terminal.run('echo kept-$((1+1))-$((2+3)); clear');
      await terminal.run('echo kept-$((1+1))');
      await terminal.shows('kept-2');
      await terminal.run('clear');
    }
    expect((await process()) === before, 'the service was not restarted');
    expect((await root(`dpkg-query -W -f '\${Version}' ${NAME}`)) === VERSIONS[1], 'upgraded');
    await terminal.run('exit');
    await visitor.context.close();
    say('keeps a session through an upgrade of the package and a reload');

    const sessions = () =>
      admin.get<readonly { id: string; is_finished: boolean }[]>('terminal/sessions/');
    await until(async () => (await sessions()).body[0]?.is_finished === true, 'the session ends');
    const session = (await sessions()).body[0]?.id ?? '';
    const key = await admin.post<{ id: string; secret: string }>('authentication/access-keys/', {
      password: PASSWORD,
    });
    const accessKey = `${key.body.id}:${key.body.secret}`;
    const password = await runGuide(root, { session, accessKey }, say);
    await signedIn(url, { username: 'admin', password });

    await root(`systemctl stop ${NAME}
      mv /var/lib/sallyport /var/lib/sallyport.old
      install -d -o sallyport -g sallyport -m 700 /var/lib/sallyport
      cp -a /backup-keys/sallyport-$(date +%F).json /backup-keys/sallyport-2026-11-20.json
      ${install} --allow-downgrades ${older}
      sallyport restore /backup/sallyport-2026-11-20 --keys=/backup-keys/sallyport-2026-11-20.json
      systemctl start ${NAME}`);
    await until(isWell, 'the restored service is well', 120_000);
    await root('sallyport audit verify');
    await signedIn(url, { username: 'admin', password: PASSWORD });
    say('goes back to the earlier package and a restored backup');

    expect((await readFile(join(tree, SETTINGS), 'utf8')) === kept, 'the settings were kept');
    await root(`apt-get remove --yes ${NAME}`);
    await until(async () => !(await isWell()), 'a removal stops the service');
    await root(`[ -e ${SETTINGS} ] && [ -d /var/lib/sallyport/postgres ]`);
    await root(`apt-get purge --yes ${NAME}`);
    await root(`[ ! -e ${SETTINGS} ] && [ ! -e /usr/lib/sallyport ] && [ ! -e /usr/sbin/sallyport ]
      [ -d /var/lib/sallyport/postgres ]`);
    say('is removed and purged, and leaves the data');
  } finally {
    await machine.remove();
  }
}
