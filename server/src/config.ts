import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { type KEPT_LOGS, MAX_PROCESSES, splitList, type Variable } from './config-checks.ts';
import { VARIABLES, type VariableName } from './config-variables.ts';
import { readTransitConfig, type TransitConfig } from './config-vault.ts';

export { MAX_GENERATIONS, MAX_PROCESSES } from './config-checks.ts';
export type { TransitConfig } from './config-vault.ts';

/** Configuration from the environment; `config-variables.ts` describes every variable. */
export interface Config {
  readonly httpHost: string;
  readonly httpPort: number;
  readonly sshHost: string;
  readonly sshPort: number;
  /** True if the operator set the port. */
  readonly isSshPortChosen: boolean;
  /** Networks whose SSH connections start with a PROXY protocol header. */
  readonly sshTrustedProxies: readonly string[];
  /** Listener for native database clients; port 0: off. */
  readonly sqlHost: string;
  readonly mysqlPort: number;
  readonly postgresqlPort: number;
  readonly sqlCertificateFile: string | undefined;
  readonly sqlKeyFile: string | undefined;
  /** Port for the other servers of the same database; 0: any free port. */
  readonly peerPort: number;
  /** Number of processes that share the work of this server. */
  readonly processes: number;
  /** True if a parent holds the ports, so that an upgrade can replace the processes below it. */
  readonly hasParent: boolean;
  /** The part of this process below a parent. */
  readonly worker?: WorkerPlace | undefined;
  /** True below `npm run dev`, which runs the embedded database and serves the pages. */
  readonly isDevelopment?: boolean;
  readonly dataDirectory: string;
  /** Folder of the backups that the server makes. */
  readonly backupDirectory: string;
  readonly databaseUrl: string | undefined;
  /** A standby for reads that may be `databaseReadLagSeconds` old. */
  readonly databaseReadUrl: string | undefined;
  readonly databaseReadLagSeconds: number;
  readonly databasePoolSize: number;
  /** Seconds to wait for an external database at the start. */
  readonly databaseWaitSeconds: number;
  readonly adminPassword: string | undefined;
  readonly secretKey: string | undefined;
  readonly secretKeyFile: string | undefined;
  /** A program and its arguments. */
  readonly secretKeyCommand: readonly string[] | undefined;
  /** The service that keeps the master key. Another key is the previous one. */
  readonly transit: TransitConfig | undefined;
  /** Algorithms of new sealed values and signatures. */
  readonly suite: 'international' | 'national';
  /** An outside authority for SSH certificates: a program and its arguments. */
  readonly sshCaCommand: readonly string[] | undefined;
  /** Minimum days of retention; a log without an entry has none. */
  readonly keepAtLeast: Readonly<Partial<Record<(typeof KEPT_LOGS)[number], number>>>;
  /** The outside witness of the audit logs, and the file with its authority. */
  readonly witness: { readonly url: string; readonly caFile: string } | undefined;
  readonly publicUrl: string | undefined;
  readonly licensePublicKey: string | undefined;
  readonly ldapCaFile: string | undefined;
  /** File with the countries of addresses. */
  readonly countryDatabase: string | undefined;
  readonly trustedProxies: readonly string[];
  /**
   * Trust `X-Forwarded-Host` from a trusted proxy; `X-Forwarded-For` and `-Proto` are always
   * trusted.
   */
  readonly trustForwardedHost: boolean;
  /** Host names of the server besides that of the public URL. */
  readonly allowedHosts: readonly string[];
  /** Features that are switched off. */
  readonly without: readonly string[];
  /** Loopback and link-local networks that assets may use anyway. */
  readonly targetNetworks: readonly string[];
  readonly logLevel: string;
  /** One JSON object per line, or readable lines. */
  readonly logFormat: 'json' | 'text';
  /** Listener for Prometheus; port 0: off. */
  readonly metricsHost: string;
  readonly metricsPort: number;
  readonly metricsToken: string | undefined;
  readonly metricsTokenFile: string | undefined;
  /** The collector of traces; off if absent. */
  readonly traces: { readonly url: string; readonly headersFile: string | undefined } | undefined;
  readonly demo: boolean;
}

/** The place of a process among those of its server (`start/processes.ts`). */
export interface WorkerPlace {
  /**
   * Counts from 1. A process that replaces a dead one gets its number. The processes of an upgrade
   * get the next free ones, as many as the server has.
   */
  readonly number: number;
  /** True for the process of a start before any other runs: it recovers what all of them left. */
  readonly isFirst: boolean;
}

/** Prevents the start. The message is one sentence for the operator, printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** True if a later start may succeed with the same configuration. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary = false) {
    super(message);
    this.isTemporary = isTemporary;
  }
}

const KEY_SOURCES = [
  'SALLYPORT_SECRET_KEY',
  'SALLYPORT_SECRET_KEY_FILE',
  'SALLYPORT_SECRET_KEY_COMMAND',
] as const;

/** Leaves a core to the database, and a GiB of memory to each process. */
function processesOfMachine(): number {
  const bytes = Math.min(process.constrainedMemory() || totalmem(), totalmem());
  const gibibytes = Math.floor(bytes / 2 ** 30);
  return Math.max(1, Math.min(availableParallelism() - 1, gibibytes, MAX_PROCESSES));
}

/**
 * Reads the configuration from the environment and the command line.
 *
 * @throws StartError that names the variable, the problem and an example
 */
export function readConfig(environment: NodeJS.ProcessEnv, flags: readonly string[] = []): Config {
  for (const name of Object.keys(environment)) {
    if (
      name.startsWith('SALLYPORT_') &&
      !VARIABLES.some((variable) => variable.name === name) &&
      !name.startsWith('SALLYPORT_TEST_')
    ) {
      throw new StartError(
        `${name} is not a variable that Sallyport knows. Known are: ${VARIABLES.map((variable) => variable.name).join(', ')}.`,
      );
    }
  }
  const read = (name: VariableName): string => {
    const variable: Variable | undefined = VARIABLES.find((candidate) => candidate.name === name);
    const value = environment[name]?.trim();
    if (!variable || !value) return variable?.fallback ?? '';
    const problem = variable.check?.(value);
    // Do not repeat the value: it may be a secret.
    if (problem) throw new StartError(`${name} ${problem}. Example: ${name}='${variable.example}'`);
    return value;
  };
  const demo = flags.includes('--demo');
  const directory = read('SALLYPORT_DATA_DIR');
  // Keep demo data in a separate folder.
  const dataDirectory = resolve(demo ? `${directory}-demo` : directory);
  const keySources = KEY_SOURCES.filter((name) => read(name));
  if (keySources.length > 1) {
    throw new StartError(
      `${keySources.join(' and ')} are set; keep one of them. Example: SALLYPORT_SECRET_KEY_FILE='/run/secrets/sallyport.key'`,
    );
  }
  const witnessUrl = read('SALLYPORT_WITNESS_URL');
  const witnessCa = read('SALLYPORT_WITNESS_CA_FILE');
  if ((witnessUrl === '') !== (witnessCa === ''))
    throw new StartError(
      "SALLYPORT_WITNESS_URL and SALLYPORT_WITNESS_CA_FILE are set together or not at all. Example: SALLYPORT_WITNESS_URL='https://tsa.example.com/tsr' SALLYPORT_WITNESS_CA_FILE='/etc/sallyport/tsa-ca.pem'",
    );
  const transit = readTransitConfig(read);
  if (typeof transit === 'string') throw new StartError(transit);
  return {
    httpHost: read('SALLYPORT_HTTP_HOST'),
    httpPort: Number(read('SALLYPORT_HTTP_PORT')),
    sshHost: read('SALLYPORT_SSH_HOST') || read('SALLYPORT_HTTP_HOST'),
    sshPort: Number(read('SALLYPORT_SSH_PORT')),
    isSshPortChosen: Boolean(environment.SALLYPORT_SSH_PORT?.trim()),
    sshTrustedProxies: splitList(read('SALLYPORT_SSH_TRUSTED_PROXIES')),
    sqlHost: read('SALLYPORT_SQL_HOST') || read('SALLYPORT_HTTP_HOST'),
    mysqlPort: Number(read('SALLYPORT_MYSQL_PORT')),
    postgresqlPort: Number(read('SALLYPORT_POSTGRESQL_PORT')),
    sqlCertificateFile: read('SALLYPORT_SQL_CERTIFICATE_FILE') || undefined,
    sqlKeyFile: read('SALLYPORT_SQL_KEY_FILE') || undefined,
    peerPort: Number(read('SALLYPORT_PEER_PORT')),
    // The sample targets run in the process of the server.
    processes: demo ? 1 : Number(read('SALLYPORT_PROCESSES')) || processesOfMachine(),
    hasParent: !demo && read('SALLYPORT_PROCESSES') !== '1',
    worker: placeIn(flags),
    isDevelopment: flags.includes('--development'),
    dataDirectory,
    backupDirectory: resolve(read('SALLYPORT_BACKUP_DIR') || join(dataDirectory, 'backups')),
    databaseUrl: read('SALLYPORT_DATABASE_URL') || undefined,
    databaseReadUrl: read('SALLYPORT_DATABASE_READ_URL') || undefined,
    databaseReadLagSeconds: Number(read('SALLYPORT_DATABASE_READ_LAG')),
    databasePoolSize: Number(read('SALLYPORT_DATABASE_POOL')),
    databaseWaitSeconds: Number(read('SALLYPORT_DATABASE_WAIT')),
    adminPassword: read('SALLYPORT_ADMIN_PASSWORD') || undefined,
    secretKey: read('SALLYPORT_SECRET_KEY') || undefined,
    secretKeyFile: read('SALLYPORT_SECRET_KEY_FILE') || undefined,
    secretKeyCommand: read('SALLYPORT_SECRET_KEY_COMMAND').match(/\S+/g) ?? undefined,
    transit,
    suite: read('SALLYPORT_NATIONAL_CRYPTOGRAPHY') === 'yes' ? 'national' : 'international',
    sshCaCommand: read('SALLYPORT_SSH_CA_COMMAND').match(/\S+/g) ?? undefined,
    keepAtLeast: Object.fromEntries(
      splitList(read('SALLYPORT_KEEP_AT_LEAST'))
        .map((one) => one.split('='))
        .map(([log, days]) => [log, Number(days)]),
    ),
    witness: witnessUrl ? { url: witnessUrl, caFile: witnessCa } : undefined,
    publicUrl: read('SALLYPORT_PUBLIC_URL') || undefined,
    licensePublicKey: read('SALLYPORT_LICENSE_PUBLIC_KEY') || undefined,
    ldapCaFile: read('SALLYPORT_LDAP_CA_FILE') || undefined,
    countryDatabase: read('SALLYPORT_COUNTRY_DATABASE') || undefined,
    trustedProxies: splitList(read('SALLYPORT_TRUSTED_PROXIES')),
    trustForwardedHost: read('SALLYPORT_TRUST_FORWARDED_HOST') === 'yes',
    allowedHosts: splitList(read('SALLYPORT_ALLOWED_HOSTS')),
    without: splitList(read('SALLYPORT_WITHOUT')),
    // The sample targets listen on loopback addresses.
    targetNetworks: [
      ...splitList(read('SALLYPORT_TARGET_NETWORKS')),
      ...(demo ? ['127.0.0.0/8'] : []),
    ],
    logLevel: read('SALLYPORT_LOG_LEVEL'),
    logFormat:
      (read('SALLYPORT_LOG_FORMAT') || (process.stdout.isTTY ? 'text' : 'json')) === 'text'
        ? 'text'
        : 'json',
    metricsHost: read('SALLYPORT_METRICS_HOST'),
    metricsPort: Number(read('SALLYPORT_METRICS_PORT')),
    metricsToken: read('SALLYPORT_METRICS_TOKEN') || undefined,
    metricsTokenFile: read('SALLYPORT_METRICS_TOKEN_FILE') || undefined,
    traces: read('SALLYPORT_TRACES_URL')
      ? {
          url: read('SALLYPORT_TRACES_URL'),
          headersFile: read('SALLYPORT_TRACES_HEADERS_FILE') || undefined,
        }
      : undefined,
    demo,
  };
}

const WORKER_FLAG = '--worker=';

/** Returns the words of the command line that start a process among several. */
export const flagsOf = ({ number, isFirst }: WorkerPlace): string[] => [
  `${WORKER_FLAG}${number}${isFirst ? ',first' : ''}`,
];

function placeIn(flags: readonly string[]): WorkerPlace | undefined {
  const flag = flags.find((one) => one.startsWith(WORKER_FLAG));
  if (flag === undefined) return undefined;
  const [number, first] = flag.slice(WORKER_FLAG.length).split(',');
  return { number: Number(number), isFirst: first === 'first' };
}
