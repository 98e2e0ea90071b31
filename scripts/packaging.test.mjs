import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, verify } from 'node:crypto';
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
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { arOf, sha256, tarOf } from '../packaging/build/archive.mjs';
import { wholePackages } from '../packaging/build/contents.mjs';
import { unitOfPackage } from '../packaging/build/deb.mjs';
import { imageOf } from '../packaging/build/image.mjs';
import { basePackages } from '../packaging/build/image-base.mjs';
import { writeSums } from '../packaging/build/package.mjs';
import { WHOLE } from '../packaging/program/bundle.config.mjs';
import { VARIABLES } from '../server/src/config-variables.ts';
import { ROOT } from './lib.mjs';
import { createSbom } from './sbom.mjs';

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

  it('has each package that the bundle leaves whole', () => {
    expect(wholePackages()).toEqual(
      expect.arrayContaining(WHOLE.map((name) => `node_modules/${name}`)),
    );
  });

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
    // The program cannot change its own code.
    for (const name of ['ReadWritePaths', 'CacheDirectory', 'LogsDirectory', 'BindPaths'])
      expect(setting(name), name).toBeUndefined();
    expect(setting('ProtectSystem')).toBe('strict');
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
    expect(of('RUN')).toContain('node scripts/prepare.mjs');
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
    // Server and commands of operators read their settings by the same program.
    expect([setting('ExecStart'), setting('ExecReload')]).toEqual([
      '/usr/sbin/sallyport start',
      '/usr/sbin/sallyport upgrade',
    ]);
    expect(setting('EnvironmentFile')).toBeUndefined();
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

  it('makes an image whose parts have the names of their hashes, twice the same', () => {
    const tree = join(folder, 'tree');
    mkdirSync(tree);
    writeFileSync(join(tree, 'sallyport'), '#!/bin/sh');
    const release = {
      name: '2.1.0~git20261125.1114d68fae21',
      version: '2.1.0',
      commit: '1114d68fae21',
      epoch: 1_700_000_000,
      architecture: 'arm64',
      fillBase: (base) => writeFileSync(join(base, 'libc.so.6'), 'library'),
    };
    const image = imageOf(tree, join(folder, 'work'), release);
    expect(image.equals(imageOf(tree, join(folder, 'work'), release))).toBe(true);

    const layout = join(folder, 'layout');
    mkdirSync(layout);
    spawnSync('tar', ['-x', '-C', layout], { input: image });
    const json = (path) => JSON.parse(readFileSync(join(layout, path), 'utf8'));
    const blob = ({ digest, size }) => {
      const path = join('blobs', digest.replace(':', '/'));
      const data = readFileSync(join(layout, path));
      expect([`sha256:${sha256(data)}`, data.length]).toEqual([digest, size]);
      return { path, data };
    };
    expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    const [entry, ...others] = json('index.json').manifests;
    expect(others).toEqual([]);
    expect(entry.platform).toEqual({ architecture: 'arm64', variant: 'v8', os: 'linux' });
    const manifest = JSON.parse(blob(entry).data);
    const config = JSON.parse(blob(manifest.config).data);
    const tars = manifest.layers.map((layer) => gunzipSync(blob(layer).data));
    expect(config.rootfs.diff_ids).toEqual(tars.map((tar) => `sha256:${sha256(tar)}`));
    const entries = tars.flatMap((tar) =>
      spawnSync('tar', ['-tv', '--numeric-owner'], { input: tar, encoding: 'utf8' })
        .stdout.trim()
        .split('\n')
        .map((line) => line.replace(/ +\d+ \d{4}-.* /, ' ')),
    );
    expect(entries).toContain('drwx------ 10001/10001 var/lib/sallyport/');
    expect(entries).toContain('-rw-r--r-- 0/0 usr/lib/sallyport/sallyport');
    expect(config.config).toMatchObject({
      User: '10001:10001',
      Entrypoint: ['/usr/bin/sallyport'],
      ExposedPorts: { '8080/tcp': {}, '2222/tcp': {} },
      Volumes: { '/var/lib/sallyport': {} },
      Labels: {
        'org.opencontainers.image.version': '2.1.0',
        'org.opencontainers.image.revision': '1114d68fae21',
      },
    });
    for (const variable of config.config.Env.join(' ').match(/SALLYPORT_\w+/g))
      expect(variables, variable).toContain(variable);
    // What `docker load` of older versions reads.
    expect(json('manifest.json')).toEqual([
      {
        Config: blob(manifest.config).path,
        RepoTags: ['sallyport:2.1.0-git20261125.1114d68fae21'],
        Layers: manifest.layers.map((layer) => blob(layer).path),
      },
    ]);
  });

  it('takes the libraries of its image by hash, the same versions for each platform', () => {
    const [amd64, arm64] = ['amd64', 'arm64'].map(basePackages);
    const versions = (list) => list.map(({ name, version }) => `${name} ${version}`);
    expect(versions(arm64)).toEqual(versions(amd64));
    for (const { hash } of [...amd64, ...arm64]) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    const { components } = createSbom([], amd64);
    expect(components).toContainEqual(
      expect.objectContaining({ name: 'libc6', purl: expect.stringMatching(/^pkg:deb\/debian/) }),
    );
  });

  it('signs its sums with an Ed25519 key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(join(folder, 'one'), '1');
    const sums = writeSums(folder, ['one'], privateKey);
    expect(sums).toBe(`${sha256('1')}  one\n`);
    const signature = readFileSync(join(folder, 'SHA256SUMS.sig'));
    expect(verify(null, Buffer.from(sums), publicKey, signature)).toBe(true);
    expect(verify(null, Buffer.from(`${sums} `), publicKey, signature)).toBe(false);
  });
});
