import { FORMATS, unsafeField } from '../../contract/src/index.ts';
import { Failure } from './failure.ts';
import { t } from './language.ts';
import { words } from './words.ts';

// A server is foreign: its answers become arguments and files of programs on this machine.

const unsafe = (field: string, value: unknown) =>
  new Failure(t(words.unsafeAnswer, { field, value: (JSON.stringify(value) ?? '').slice(0, 200) }));

const safeText =
  (field: string, isSafe: (text: string) => boolean) =>
  (value: unknown): string => {
    if (typeof value !== 'string' || !isSafe(value)) throw unsafe(field, value);
    return value;
  };

/** Returns a host name or an address. @throws Failure for other values */
export const safeHost = safeText('host', FORMATS.host.accepts);

/** Returns a login name that no client reads as options. @throws Failure for other values */
export const safeLogin = safeText('username', (text) =>
  /^[\p{L}\p{N}_][\p{L}\p{N}_.@+-]*$/u.test(text),
);

/** Returns a public key of OpenSSH. @throws Failure for other values, such as two lines */
export const safePublicKey = safeText('host_keys', (text) =>
  /^[\w@.-]+ [A-Za-z0-9+/]+=*$/.test(text),
);

/** Returns an address of the bastion for `kubectl`. @throws Failure for other values */
export const safeServer = safeText('server', (text) =>
  /^https?:\/\/[\w.:[\]-]+\/[\w/-]*$/.test(text),
);

/** Returns a token without characters of a terminal. @throws Failure for other values */
export const safeToken = safeText('token', (text) => /^[\w-]+$/.test(text));

/** Returns a port. @throws Failure for other values */
export function safePort(value: unknown): number {
  if (typeof value !== 'number' || !FORMATS.port.accepts(String(value)))
    throw unsafe('port', value);
  return value;
}

interface Issued {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly certificate: string;
}

/** Checks the answer with a database password. @throws Failure that names the unsafe field */
export function assertSafe(issued: Issued): void {
  safePort(issued.port);
  safeHost(issued.host);
  for (const field of ['username', 'password', 'database', 'certificate'] as const)
    safeText(field, () => true)(issued[field]);
  const field = unsafeField(issued);
  if (field) throw unsafe(field, issued[field]);
  safeText('password', (text) => !/\p{Cc}/u.test(text))(issued.password);
}
