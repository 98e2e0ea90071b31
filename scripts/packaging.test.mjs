import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { arOf, tarOf } from '../packaging/build/archive.mjs';
import { unitOfPackage } from '../packaging/build/deb.mjs';
import { VARIABLES } from '../server/src/config-variables.ts';
import { ROOT } from './lib.mjs';

const UNIT = 'packaging/systemd/sallyport.service';
const DOCKERFILE = 'packaging/container/Dockerfile';
const COMPOSE = 'packaging/container/compose.yaml';
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
/** Reads a setting of a unit. */
const settingOf = (text) => (name) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1];
const variables = VARIABLES.map(({ name }) => name);

describe('what is packaged', () => {
  it.each([UNIT, DOCKERFILE, COMPOSE])(
    'names variables, scripts and folders that there are: %s',
    (path) => {
      const text = read(path);
      for (const [name] of text.matchAll(/SALLYPORT_[A-Z_]+/g))
        expect(variables, name).toContain(name);
      for (const [name] of text.matchAll(/\bscripts\/[\w.-]+/g))
        expect(existsSync(join(ROOT, name)), name).toBe(true);
      for (const [name] of text.matchAll(/\bpackaging\/[\w./-]+\w/g))
        expect(existsSync(join(ROOT, name)), name).toBe(true);
    },
  );

  it('runs the unit as its own account without privileges', () => {
    const text = read(UNIT);
    const setting = settingOf(text);
    expect([
      setting('User'),
      setting('KillMode'),
      setting('RestartPreventExitStatus'),
      setting('CapabilityBoundingSet'),
    ]).toEqual(['sallyport', 'mixed', '78', '']);
    // After a power failure the database may come up much later than this server.
    expect([setting('RestartSec'), setting('StartLimitIntervalSec')]).toEqual(['5', '0']);
    expect(setting('StateDirectory')).toBe('sallyport');
    for (const name of ['NoNewPrivileges', 'PrivateTmp', 'ProtectHome', 'RestrictNamespaces'])
      expect(setting(name), name).toBe('yes');
  });

  it('builds the image of this repository, and runs nothing in it as root', () => {
    const lines = read(DOCKERFILE)
      .replace(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const of = (instruction) =>
      lines
        .filter((line) => line.startsWith(`${instruction} `))
        .map((line) => line.slice(instruction.length + 1));
    const known = [
      'FROM',
      'WORKDIR',
      'COPY',
      'RUN',
      'USER',
      'ENV',
      'VOLUME',
      'EXPOSE',
      'STOPSIGNAL',
      'HEALTHCHECK',
      'CMD',
    ];
    for (const line of lines) expect(known, line).toContain(line.split(' ')[0]);
    expect(lines.lastIndexOf('USER sallyport')).toBeGreaterThan(
      lines.findLastIndex((line) => line.startsWith('RUN ')),
    );
    // The script in the build is valid JavaScript, and its imports exist.
    const [script] = of('RUN').flatMap((line) => /^node -e "(.*)"$/.exec(line)?.[1] ?? []);
    expect(script).toBe(
      "import('./scripts/install.mjs').then(({ ensureInstalled }) => ensureInstalled()).then(() => import('./scripts/build.mjs')).then(({ ensureBuilt }) => ensureBuilt())",
    );
    expect(JSON.parse(of('CMD')[0] ?? '')).toEqual(['node', 'scripts/start.mjs']);
    const [, check = ''] = /CMD (\[.*\])$/.exec(of('HEALTHCHECK')[0] ?? '') ?? [];
    // No server listens in this test: the check reports that by its status, without throwing.
    const [, ...words] = JSON.parse(check);
    const answered = spawnSync(process.execPath, words, {
      encoding: 'utf8',
      env: { ...process.env, SALLYPORT_HTTP_PORT: '1' },
    });
    expect([answered.status, answered.stderr]).toEqual([1, '']);
    for (const name of ['node_modules', '.git', 'data'])
      expect(read('.dockerignore')).toContain(name);
  });

  it('starts that image from the compose file without unnecessary privileges', () => {
    const { services, volumes } = parse(read(COMPOSE));
    const { sallyport } = services;
    expect(join('packaging/container', sallyport.build.context)).toBe('.');
    expect(sallyport.build.dockerfile).toBe(DOCKERFILE);
    expect(sallyport).toMatchObject({
      init: true,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '60s',
    });
    const exposed = /^EXPOSE (.*)$/m.exec(read(DOCKERFILE))?.[1]?.split(' ');
    expect(sallyport.ports.map((port) => port.split(':').at(-1))).toEqual(exposed);
    expect(sallyport.volumes.map((volume) => volume.split(':'))).toEqual([
      ['data', /^VOLUME (.*)$/m.exec(read(DOCKERFILE))?.[1]],
    ]);
    expect(Object.keys(volumes)).toEqual(['data']);
  });
});

describe('a package of a release', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-archive-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('runs in its unit without a folder of code that it may write', () => {
    const text = unitOfPackage();
    const setting = settingOf(text);
    expect(text).not.toContain('/opt/sallyport');
    expect([setting('ReadWritePaths'), setting('ProtectSystem')]).toEqual([undefined, 'strict']);
    expect([setting('RestartSec'), setting('StartLimitIntervalSec')]).toEqual(['5', '0']);
    expect(setting('ExecStart')).toBe('/usr/lib/sallyport/sallyport start');
    expect(setting('EnvironmentFile')).toBe('-/etc/default/sallyport');
  });

  it('names variables in its settings that the server reads', () => {
    for (const [name] of read('packaging/debian/default').matchAll(/SALLYPORT_[A-Z_]+/g))
      expect(variables, name).toContain(name);
  });

  it('gets the same archive from files of another time and in another order', () => {
    const treeOf = (name, files, date) => {
      const tree = join(folder, name);
      mkdirSync(tree);
      for (const file of files) {
        writeFileSync(join(tree, file), file);
        utimesSync(join(tree, file), date, date);
      }
      return tarOf(tree, { prefix: 'program', epoch: 1_700_000_000 });
    };
    const [one, other] = [treeOf('one', ['a', 'b'], 1), treeOf('other', ['b', 'a'], 1_000_000)];
    expect(one.equals(other)).toBe(true);
    writeFileSync(join(folder, 'tar'), one);
    const list = spawnSync('tar', ['--utc', '-tvf', join(folder, 'tar')], { encoding: 'utf8' });
    expect(list.stdout).toMatch(/^-rw\S+ 0\/0 +1 2023-11-14 22:13 program\/a$/m);
  });

  it('writes the outer archive of Debian, with members of odd length', () => {
    const archive = arOf(
      [
        ['one', Buffer.from('odd')],
        ['two', Buffer.from('even')],
      ],
      1,
    );
    expect(archive.toString()).toBe(
      `!<arch>\n${['one', 'two'].map((name, index) => `${name}             1           0     0     100644  ${index + 3}         \`\n${['odd\n', 'even'][index]}`).join('')}`,
    );
  });
});
