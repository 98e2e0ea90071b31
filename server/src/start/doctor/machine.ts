import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { posixPath } from '@sallyport/contract';
import type { Config } from '../../config.ts';
import { hasSecretKey, readMasterKeys } from '../../platform/crypto/master-key.ts';
import { commandFor } from '../../platform/private-file.ts';
import { START } from '../../platform/release.ts';
import {
  type DoctorContext,
  type Finding,
  fine,
  problem,
  reasonOf,
  SOON_DAYS,
  warning,
} from './finding.ts';
import { examineOpenFiles } from './open-files.ts';

/** The oldest Node.js that runs this TypeScript. */
const OLDEST_NODE = 24;
/** With less, the database may stop during a write. */
const LEAST_FREE_BYTES = 1_073_741_824;
const LITTLE_FREE_BYTES = 5 * LEAST_FREE_BYTES;
const DAY = 86_400_000;

/** Checks machine and data folder, with or without a running server. */
export async function examineMachine(context: DoctorContext): Promise<Finding[]> {
  const { config } = context;
  const findings = [
    node(),
    ...folder(config),
    ...(await secrets(config)),
    lock(context),
    ...examineOpenFiles(context),
    ...certificateFiles(config),
  ];
  findings.push(await disk(config));
  if (!context.isRunning)
    for (const [name, host, port] of portsOf(config))
      findings.push(await portIsFree(name, host, port));
  return findings;
}

function node(): Finding {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= OLDEST_NODE
    ? fine('node', `Node ${process.version}`)
    : problem(
        'node',
        `Node ${process.version} is older than ${OLDEST_NODE}`,
        'Start with npm start, which brings its own Node; where it has none, install a newer one.',
      );
}

function folder({ dataDirectory }: Config): Finding[] {
  if (!existsSync(dataDirectory))
    return [
      problem(
        'data-folder',
        `${dataDirectory} is not there`,
        `Name the folder of the server: SALLYPORT_DATA_DIR='/var/lib/sallyport'. A first start makes it.`,
      ),
    ];
  const findings: Finding[] = [];
  try {
    accessSync(dataDirectory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    findings.push(
      problem(
        'data-folder',
        `This account may not write ${dataDirectory} (${(error as NodeJS.ErrnoException).code})`,
        `Run this as the account that runs the server. If that is this one, stop the server, then: chown -R ${process.getuid?.()} ${posixPath(dataDirectory)}`,
      ),
    );
  }
  const open = (path: string, others: number, right: string) => {
    if (process.platform === 'win32' || !existsSync(path)) return;
    const { mode, uid, gid } = statSync(path);
    const fix =
      right === '600'
        ? commandFor(path, { uid, gid }, process.getuid?.())
        : `chmod ${right} ${posixPath(path)}`;
    if ((mode & others) !== 0)
      findings.push(
        problem(
          'permissions',
          `Other accounts may use ${path} (mode ${(mode & 0o777).toString(8)})`,
          fix,
        ),
      );
  };
  open(dataDirectory, 0o022, '711');
  for (const name of ['recordings', 'postgres']) open(join(dataDirectory, name), 0o077, '700');
  for (const name of [
    'secret.key',
    'license.key',
    'postgres.password',
    'postgres.setup-password',
    'audit-seals.json',
  ])
    open(join(dataDirectory, name), 0o077, '600');
  return findings.length > 0
    ? findings
    : [fine('data-folder', `${dataDirectory} belongs to this account alone`)];
}

async function secrets(config: Config): Promise<Finding[]> {
  if (!hasSecretKey(config)) {
    const isNew =
      !existsSync(join(config.dataDirectory, 'postgres', 'PG_VERSION')) && !config.databaseUrl;
    return [
      isNew
        ? warning('secret-key', 'There is no secret key yet', `The first start makes one: ${START}`)
        : problem(
            'secret-key',
            'The secret key is missing',
            "Name the one that the secrets were sealed with: SALLYPORT_SECRET_KEY_FILE='/path/to/secret.key'",
          ),
    ];
  }
  try {
    await readMasterKeys(config);
    return [];
  } catch (error) {
    return [
      problem(
        'secret-key',
        reasonOf(error),
        config.transit
          ? 'Check the variables that begin with SALLYPORT_VAULT_'
          : 'Do what the reason says, or name another file: SALLYPORT_SECRET_KEY_FILE',
      ),
    ];
  }
}

function lock({ config, isRunning }: DoctorContext): Finding {
  const file = join(config.dataDirectory, 'sallyport.lock');
  if (isRunning)
    return fine(
      'lock',
      `A server runs (process ${readFileSync(file, 'utf8').trim().split(' ')[0]})`,
    );
  return existsSync(file)
    ? warning(
        'lock',
        `${file} was left by a process that has ended`,
        `The next start replaces it: ${START}`,
      )
    : fine('lock', 'No server runs in this folder');
}

/** Checks the files of certificates that the operator configured. */
function certificateFiles(config: Config): Finding[] {
  const files = [
    [config.ldapCaFile, 'SALLYPORT_LDAP_CA_FILE'],
    [config.sqlCertificateFile, 'SALLYPORT_SQL_CERTIFICATE_FILE'],
    [config.transit?.caFile, 'SALLYPORT_VAULT_CA_FILE'],
    [config.witness?.caFile, 'SALLYPORT_WITNESS_CA_FILE'],
  ] as const;
  return files.flatMap(([file, variable]) =>
    file === undefined ? [] : certificatesIn(file, variable),
  );
}

function certificatesIn(file: string, variable: string): Finding[] {
  try {
    const texts =
      readFileSync(file, 'utf8').match(
        /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
      ) ?? [];
    if (texts.length === 0)
      return [
        problem(
          'certificates',
          `${file} holds no certificate`,
          `Name a file with certificates in PEM: ${variable}`,
        ),
      ];
    return texts.map((text) =>
      certificateEnd(
        file,
        new X509Certificate(text),
        `Put newer certificates into the file of ${variable}`,
      ),
    );
  } catch (error) {
    return [problem('certificates', `${file} cannot be read: ${reasonOf(error)}`, variable)];
  }
}

/** Checks when a certificate begins and ends. */
export function certificateEnd(
  place: string,
  { subject, validFrom, validTo }: Pick<X509Certificate, 'subject' | 'validFrom' | 'validTo'>,
  fix: string,
): Finding {
  const days = Math.floor((Date.parse(validTo) - Date.now()) / DAY);
  const what = `The certificate ${subject.replaceAll('\n', ', ')} of ${place}`;
  if (Date.parse(validFrom) > Date.now())
    return problem('certificates', `${what} is not valid before ${validFrom}`, fix);
  if (days < 0) return problem('certificates', `${what} expired on ${validTo}`, fix);
  return days < SOON_DAYS
    ? warning('certificates', `${what} ends in ${days} days`, fix)
    : fine('certificates', `${what} is good for ${days} days`);
}

async function disk({ dataDirectory }: Config): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(dataDirectory);
    const free = bavail * bsize;
    const text = `${(free / 1_073_741_824).toFixed(1)} GiB are free in ${dataDirectory}`;
    const fix =
      'Make room, shorten how long recordings are kept (Settings > Terminal), or move recordings to a bucket (Terminal > Storages)';
    if (free < LEAST_FREE_BYTES) return problem('disk', text, fix);
    return free < LITTLE_FREE_BYTES ? warning('disk', text, fix) : fine('disk', text);
  } catch (error) {
    return problem(
      'disk',
      `The free space of ${dataDirectory} is not known: ${reasonOf(error)}`,
      'SALLYPORT_DATA_DIR',
    );
  }
}

function portsOf({
  httpHost,
  httpPort,
  sshHost,
  sshPort,
  metricsHost,
  metricsPort,
}: Config): readonly (readonly [string, string, number])[] {
  return [
    ['SALLYPORT_HTTP_PORT', httpHost, httpPort] as const,
    ['SALLYPORT_SSH_PORT', sshHost, sshPort] as const,
    ['SALLYPORT_METRICS_PORT', metricsHost, metricsPort] as const,
  ].filter(([, , port]) => port > 0);
}

async function portIsFree(name: string, host: string, port: number): Promise<Finding> {
  const probe = createServer();
  try {
    await new Promise<void>((settle, fail) => {
      probe.once('error', fail);
      probe.listen({ host, port, exclusive: true }, settle);
    });
    return fine('ports', `${host}:${port} is free for ${name}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      return problem(
        'ports',
        `Another program has ${host}:${port}`,
        `Stop it (ss -ltnp 'sport = :${port}' names it), or choose another port: ${name}='${port + 1}'`,
      );
    if (code === 'EACCES')
      return problem(
        'ports',
        `This account may not listen on port ${port}`,
        `Choose one above 1023: ${name}='${port + 8_000}'`,
      );
    return problem(
      'ports',
      `${host}:${port} cannot be used (${code})`,
      `Choose an address of this machine: ${name.replace('_PORT', '_HOST')}='127.0.0.1'`,
    );
  } finally {
    await new Promise<void>((settle) => (probe.listening ? probe.close(() => settle()) : settle()));
  }
}
