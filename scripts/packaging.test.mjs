import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../server/src/config-variables.ts';
import { ROOT } from './lib.mjs';

const UNIT = 'packaging/systemd/sallyport.service';
const DOCKERFILE = 'packaging/container/Dockerfile';
const COMPOSE = 'packaging/container/compose.yaml';
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
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
    const setting = (name) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1];
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
