import { isIP } from 'node:net';
import { namesMetadataService } from '@sallyport/contract';

export interface Variable {
  readonly name: string;
  readonly fallback: string;
  readonly meaning: { readonly en: string; readonly zh: string };
  readonly example: string;
  /** Returns the error of a value as a sentence, or undefined. */
  readonly check?: (value: string) => string | undefined;
}

export const port = (value: string) =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535
    ? undefined
    : 'is not a port number between 0 and 65535';
/** Maximum processes of one server. */
export const MAX_PROCESSES = 8;
/** Maximum versions of the program that run at a time: the newest, and two that end sessions. */
export const MAX_GENERATIONS = 3;
export const processes = (value: string) =>
  /^\d$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_PROCESSES
    ? undefined
    : `is not a number between 1 and ${MAX_PROCESSES}`;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export const url =
  (...protocols: string[]) =>
  (value: string) => {
    if (!URL.canParse(value)) return 'is not a URL';
    const { protocol } = new URL(value);
    return protocols.includes(protocol)
      ? undefined
      : `begins with ${protocol} instead of ${protocols.join(' or ')}`;
  };

/** Accepts the HTTP address of a service that the server calls. */
export const serviceUrl = (value: string): string | undefined =>
  url('https:', 'http:')(value) ??
  (namesMetadataService(value) ? 'is an address of a cloud’s metadata service' : undefined);

/** Host names of this machine, as in URLs. */
export const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Accepts HTTPS, and HTTP on this machine. Credentials belong into the file of headers. */
export const collectorUrl = (value: string): string | undefined => {
  const problem = serviceUrl(value);
  if (problem) return problem;
  const { protocol, hostname, username, password, search } = new URL(value);
  if (protocol === 'http:' && !LOOPBACK.includes(hostname))
    return 'begins with http: on another machine, which would show the headers';
  return username || password || search ? 'has a user name, a password or a query' : undefined;
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
export const networks = (value: string) =>
  splitList(value).every(isNetwork) ? undefined : 'is not a list of addresses or networks';

/** The logs with digest chains, as in the contract, which the configuration does not import. */
export const KEPT_LOGS = [
  'operate_log',
  'login_log',
  'password_change_log',
  'ftp_log',
  'session_digest',
] as const;

const isLogDays = (value: string) => {
  const [log = '', days = '', ...more] = value.split('=');
  return KEPT_LOGS.some((one) => one === log) && /^[1-9]\d{0,4}$/.test(days) && more.length === 0;
};
export const logDays = (value: string) =>
  splitList(value).every(isLogDays)
    ? undefined
    : `is not a list of log=days; the logs are ${KEPT_LOGS.join(', ')}`;
