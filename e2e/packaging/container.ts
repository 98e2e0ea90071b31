import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '../../server/src/testing/free-port.ts';
import { type Packaged, settings } from './packaged.ts';
import type { Space } from './space.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = 'packaging/container';
const NAME = 'sallyport-packaging';
/** A machine may allow less than the limits that podman sets by itself. */
const PROCESSES = 4096;

interface Service {
  readonly init: boolean;
  readonly read_only: boolean;
  readonly stop_grace_period: string;
  readonly tmpfs: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly volumes: readonly string[];
}

/**
 * Translates the compose file into arguments of podman. Ports are not published: the container
 * shares the network of this machine.
 */
function wordsOf({
  init,
  read_only: isReadOnly,
  tmpfs,
  cap_drop: capabilities,
  security_opt: security,
  volumes,
}: Service): string[] {
  const each = (name: string, values: readonly string[]) =>
    values.flatMap((value) => [name, value]);
  return [
    ...(init ? ['--init'] : []),
    ...(isReadOnly ? ['--read-only'] : []),
    ...each('--tmpfs', tmpfs),
    ...each('--cap-drop', capabilities),
    ...each('--security-opt', security),
    ...each('--volume', volumes),
  ];
}

/**
 * Builds the image of the Dockerfile, and runs it as the compose file says. `debian` builds the
 * base image when its registry is unreachable.
 */
export async function packContainer(
  space: Space,
  folder: string,
  debian: () => Promise<string>,
  password: string,
): Promise<Packaged> {
  const podman = (...words: string[]) =>
    space.run([
      'podman',
      '--root',
      join(folder, 'images'),
      '--runroot',
      join(folder, 'running'),
      ...words,
    ]);
  const [, base = ''] =
    /^FROM (\S+)/m.exec(readFileSync(join(ROOT, FOLDER, 'Dockerfile'), 'utf8')) ?? [];
  const isPulled = await podman('pull', '--quiet', base).catch(() => undefined);
  if (isPulled === undefined) {
    const archive = join(folder, 'base.tar');
    await space.run(['tar', '-C', await debian(), '-cf', archive, '.']);
    await podman('import', '--quiet', archive, `localhost/${base}`);
  }
  await podman(
    'build',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--file',
    `${ROOT}/${FOLDER}/Dockerfile`,
    '--tag',
    NAME,
    ROOT,
  );

  const { services } = parse(readFileSync(join(ROOT, FOLDER, 'compose.yaml'), 'utf8')) as {
    services: { sallyport: Service };
  };
  const [volume = ''] = services.sallyport.volumes[0]?.split(':') ?? [];
  const [, files] =
    /Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  const [httpPort, sshPort] = [await freePort(), await freePort()];
  const environment = Object.entries(settings(password, httpPort, sshPort)).flatMap(
    ([name, value]) => ['--env', `${name}=${value}`],
  );
  let isThere = false;
  const data = (
    await podman('volume', 'create', volume).then(() =>
      podman('volume', 'inspect', '--format', '{{.Mountpoint}}', volume),
    )
  ).trim();
  return {
    url: `http://127.0.0.1:${httpPort}`,
    data,
    async start() {
      const limits = [
        '--ulimit',
        `nofile=${files}:${files}`,
        '--ulimit',
        `nproc=${PROCESSES}:${PROCESSES}`,
      ];
      // Podman runs health checks only with the host's systemd, so the test runs them itself.
      const words = [
        '--detach',
        '--name',
        NAME,
        '--cgroups',
        'disabled',
        '--network',
        'host',
        '--health-interval',
        'disable',
        ...limits,
      ];
      await (isThere
        ? podman('start', NAME)
        : podman('run', ...words, ...wordsOf(services.sallyport), ...environment, NAME));
      isThere = true;
    },
    async stop() {
      await podman(
        'stop',
        '--time',
        String(Number.parseInt(services.sallyport.stop_grace_period, 10)),
        NAME,
      );
      const status = (await podman('inspect', '--format', '{{.State.ExitCode}}', NAME)).trim();
      if (status !== '0') throw new Error(`the container ended with ${status}`);
    },
    check: async () => void (await podman('healthcheck', 'run', NAME)),
    inside: (script) => podman('exec', NAME, 'sh', '-c', script, 'sh', '1'),
    log: () => podman('logs', NAME),
    async remove() {
      if (isThere) await podman('rm', '--force', '--time', '60', NAME);
      if (existsSync(join(folder, 'images'))) await podman('system', 'reset', '--force');
    },
  };
}
