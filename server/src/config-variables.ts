import { isIP } from 'node:net';

export interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: string;
  readonly example: string;
  /** Returns the error of a value as a sentence, or undefined. */
  readonly check?: (value: string) => string | undefined;
}

const port = (value: string) =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535
    ? undefined
    : 'is not a port number between 0 and 65535';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const url =
  (...protocols: string[]) =>
  (value: string) => {
    if (!URL.canParse(value)) return 'is not a URL';
    const { protocol } = new URL(value);
    return protocols.includes(protocol)
      ? undefined
      : `begins with ${protocol} instead of ${protocols.join(' or ')}`;
  };

/** Splits a comma-separated value. */
export const splitList = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
const isNetwork = (value: string) => {
  const [address = '', bits, ...more] = value.split('/');
  const family = isIP(address);
  return (
    family !== 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  );
};
const networks = (value: string) =>
  splitList(value).every(isNetwork) ? undefined : 'is not a list of addresses or networks';

/**
 * All environment variables: name, default, meaning, example. The check compares README and
 * operator guide with this list.
 */
export const VARIABLES = [
  {
    name: 'SALLYPORT_HTTP_HOST',
    fallback: '127.0.0.1',
    meaning: 'Address that the console and the API listen on.',
    example: '0.0.0.0',
    check: (value) => (/^[\w.:-]+$/.test(value) ? undefined : 'is not an address'),
  },
  {
    name: 'SALLYPORT_HTTP_PORT',
    fallback: '8080',
    meaning: 'Port of the console and the API.',
    example: '8080',
    check: port,
  },
  {
    name: 'SALLYPORT_SSH_HOST',
    fallback: '',
    meaning: 'Address that the SSH listener listens on; absent: that of SALLYPORT_HTTP_HOST.',
    example: '0.0.0.0',
    check: (value) => (/^[\w.:-]+$/.test(value) ? undefined : 'is not an address'),
  },
  {
    name: 'SALLYPORT_SSH_PORT',
    fallback: '2222',
    meaning: 'Port of the SSH listener; 0 switches it off.',
    example: '2222',
    check: port,
  },
  {
    name: 'SALLYPORT_SSH_TRUSTED_PROXIES',
    fallback: '',
    meaning:
      'Comma-separated addresses or networks whose SSH connections begin with a PROXY protocol header (version 1 or 2); their connections without one are closed.',
    example: '10.0.0.5',
    check: networks,
  },
  {
    name: 'SALLYPORT_SQL_HOST',
    fallback: '',
    meaning:
      'Address that the listeners for MySQL and PostgreSQL clients listen on; absent: that of SALLYPORT_HTTP_HOST. Only at a loopback address may clients speak without TLS.',
    example: '0.0.0.0',
    check: (value) => (/^[\w.:-]+$/.test(value) ? undefined : 'is not an address'),
  },
  {
    name: 'SALLYPORT_MYSQL_PORT',
    fallback: '0',
    meaning: 'Port of the listener for MySQL and MariaDB clients; 0 switches it off.',
    example: '3307',
    check: port,
  },
  {
    name: 'SALLYPORT_POSTGRESQL_PORT',
    fallback: '0',
    meaning: 'Port of the listener for PostgreSQL clients; 0 switches it off.',
    example: '5433',
    check: port,
  },
  {
    name: 'SALLYPORT_SQL_CERTIFICATE_FILE',
    fallback: '',
    meaning:
      'Certificate (PEM, with its chain) of those listeners; absent: one of their own that signs itself, made once.',
    example: '/etc/sallyport/sql.crt',
  },
  {
    name: 'SALLYPORT_SQL_KEY_FILE',
    fallback: '',
    meaning: 'Private key (PEM) of that certificate.',
    example: '/etc/sallyport/sql.key',
  },
  {
    name: 'SALLYPORT_PEER_PORT',
    fallback: '0',
    meaning:
      'Port on which other servers with the same SALLYPORT_DATABASE_URL reach this one; 0: any free port.',
    example: '2223',
    check: port,
  },
  {
    name: 'SALLYPORT_DATA_DIR',
    fallback: './data',
    meaning: 'Folder for the embedded database, recordings and keys.',
    example: '/var/lib/sallyport',
  },
  {
    name: 'SALLYPORT_DATABASE_URL',
    fallback: '',
    meaning: 'PostgreSQL to use instead of the embedded one.',
    example: 'postgresql://sallyport:secret@db.example.com/sallyport',
    check: url('postgres:', 'postgresql:'),
  },
  {
    name: 'SALLYPORT_DATABASE_POOL',
    fallback: '10',
    meaning: 'Database connections at the most.',
    example: '20',
    check: (value) =>
      /^\d+$/.test(value) && Number(value) >= 3 && Number(value) <= 500
        ? undefined
        : 'is not a number between 3 and 500',
  },
  {
    name: 'SALLYPORT_DATABASE_WAIT',
    fallback: '120',
    meaning:
      'Seconds that a start waits for the database of SALLYPORT_DATABASE_URL; 0: one attempt.',
    example: '300',
    check: (value) =>
      /^\d{1,5}$/.test(value) ? undefined : 'is not a number of seconds between 0 and 99999',
  },
  {
    name: 'SALLYPORT_ADMIN_PASSWORD',
    fallback: '',
    meaning:
      'Password of the first administrator, used only when the account is created; absent: a random one is printed once.',
    example: 'correct horse battery staple',
    check: (value) =>
      value.length >= 6 && value.length <= 128
        ? undefined
        : 'has fewer than 6 or more than 128 characters',
  },
  {
    name: 'SALLYPORT_SECRET_KEY',
    fallback: '',
    meaning: 'Key that seals stored secrets: 32 bytes as 64 hexadecimal digits.',
    example: 'openssl rand -hex 32',
    check: (value) => (/^[0-9a-f]{64}$/i.test(value) ? undefined : 'is not 64 hexadecimal digits'),
  },
  {
    name: 'SALLYPORT_SECRET_KEY_FILE',
    fallback: '',
    meaning: 'File that holds that key; absent as well: created in the data folder with mode 600.',
    example: '/run/secrets/sallyport.key',
  },
  {
    name: 'SALLYPORT_PUBLIC_URL',
    fallback: '',
    meaning:
      'Address that people type, when it differs from the one listened on (a proxy in front).',
    example: 'https://bastion.example.com',
    check: url('http:', 'https:'),
  },
  {
    name: 'SALLYPORT_TRUSTED_PROXIES',
    fallback: '',
    meaning: 'Comma-separated addresses or networks whose X-Forwarded-For is believed.',
    example: '10.0.0.0/8,127.0.0.1',
    check: networks,
  },
  {
    name: 'SALLYPORT_TARGET_NETWORKS',
    fallback: '',
    meaning:
      'Comma-separated addresses or networks that assets may have although they are loopback or link-local; the console itself is never a target.',
    example: '127.0.0.0/8',
    check: networks,
  },
  {
    name: 'SALLYPORT_TRUST_FORWARDED_HOST',
    fallback: 'no',
    meaning: 'Whether X-Forwarded-Host of those proxies is believed as well: yes or no.',
    example: 'yes',
    check: (value) => (value === 'yes' || value === 'no' ? undefined : 'is neither yes nor no'),
  },
  {
    name: 'SALLYPORT_ALLOWED_HOSTS',
    fallback: '',
    meaning:
      'With SALLYPORT_PUBLIC_URL set, requests by any other host name are refused; this names further ones, comma-separated.',
    example: 'bastion.internal,bastion',
    check: (value) =>
      value.split(',').every((part) => /^[\w.-]+$/.test(part.trim()))
        ? undefined
        : 'is not a list of host names',
  },
  {
    name: 'SALLYPORT_LICENSE_PUBLIC_KEY',
    fallback: '',
    meaning:
      'Public key that licenses are checked with; absent: that of the licenses this installation issued itself.',
    example: 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    check: (value) =>
      /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/.test(value)
        ? undefined
        : 'is not an Ed25519 public key (DER, as base64)',
  },
  {
    name: 'SALLYPORT_LDAP_CA_FILE',
    fallback: '',
    meaning:
      'Certificates (PEM) that LDAP servers are verified by; absent: those that the machine trusts.',
    example: '/etc/ssl/certs/company-ca.pem',
  },
  {
    name: 'SALLYPORT_LOG_LEVEL',
    fallback: 'info',
    meaning: `How much is logged: ${LOG_LEVELS.join(', ')}.`,
    example: 'debug',
    check: (value) =>
      LOG_LEVELS.includes(value) ? undefined : `is none of ${LOG_LEVELS.join(', ')}`,
  },
  {
    name: 'SALLYPORT_LOG_FORMAT',
    fallback: '',
    meaning:
      'json, one object on each line, or text, lines for people; absent: text on a terminal, json elsewhere.',
    example: 'text',
    check: (value) =>
      value === 'json' || value === 'text' ? undefined : 'is neither json nor text',
  },
  {
    name: 'SALLYPORT_METRICS_HOST',
    fallback: '127.0.0.1',
    meaning: 'Address on which metrics are read.',
    example: '10.0.0.2',
    check: (value) => (/^[\w.:-]+$/.test(value) ? undefined : 'is not an address'),
  },
  {
    name: 'SALLYPORT_METRICS_PORT',
    fallback: '0',
    meaning: 'Port on which metrics are read, at `/metrics`; 0: nowhere.',
    example: '9464',
    check: port,
  },
  {
    name: 'SALLYPORT_METRICS_TOKEN',
    fallback: '',
    meaning: 'Bearer token of those who read metrics, at least 16 characters.',
    example: 'openssl rand -hex 32',
    check: (value) => (value.length >= 16 ? undefined : 'has fewer than 16 characters'),
  },
  {
    name: 'SALLYPORT_METRICS_TOKEN_FILE',
    fallback: '',
    meaning: 'File that holds that token, with mode 600.',
    example: '/etc/sallyport/metrics.token',
  },
] as const satisfies readonly Variable[];

export type VariableName = (typeof VARIABLES)[number]['name'];
