import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Config, StartError } from '../../../config.ts';
import { makeKeyWithCertificate } from '../../../platform/crypto/self-signed.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** The row of the certificate in `listener_key`; its public key column holds the certificate. */
const TYPE = 'database-tls';
const CONTEXT = `listener_key.private_key.${TYPE}`;
const YEARS = 10;
/** A start replaces a certificate that ends within this time. */
const RENEW_MILLISECONDS = 90 * 86_400_000;
/** Maximum number of names in one certificate. This server's names come first. */
const MAX_NAMES = 50;
const ANY_ADDRESS = new Set(['0.0.0.0', '::']);
const PLAIN_NAME = /^[a-z0-9.:-]{1,253}$/;

type NamedConfig = Pick<Config, 'sqlCertificateFile' | 'sqlKeyFile' | 'publicUrl' | 'sqlHost'>;

/** The TLS identity of the database listeners. */
export interface ListenerCertificate {
  readonly context: SecureContext;
  /** PEM. */
  readonly certificate: string;
  /** SHA-256, as `AB:CD:…`. */
  readonly fingerprint: string;
  /** Hash for channel binding, `tls-server-end-point` (RFC 5929, section 4.1). */
  readonly binding: Buffer | undefined;
}

/**
 * Returns the configured certificate, or a self-signed one that all servers of the database share.
 * @throws StartError
 */
export async function ensureListenerCertificate({
  db,
  vault,
  config,
}: {
  readonly db: Db;
  readonly vault: Vault;
  readonly config: NamedConfig;
}): Promise<ListenerCertificate> {
  const { sqlCertificateFile, sqlKeyFile } = config;
  if (sqlCertificateFile === undefined && sqlKeyFile === undefined)
    return loaded(await ownPair(db, vault, config));
  if (sqlCertificateFile === undefined || sqlKeyFile === undefined) {
    throw new StartError(
      'SALLYPORT_SQL_CERTIFICATE_FILE and SALLYPORT_SQL_KEY_FILE belong together; set both, or neither for a certificate of our own.',
    );
  }
  try {
    return loaded({
      certificate: await readFile(sqlCertificateFile, 'utf8'),
      privateKey: await readFile(sqlKeyFile, 'utf8'),
    });
  } catch {
    throw new StartError(
      'SALLYPORT_SQL_CERTIFICATE_FILE and SALLYPORT_SQL_KEY_FILE are not a certificate and its private key in PEM, or cannot be read.',
    );
  }
}

function loaded({
  certificate,
  privateKey,
}: {
  readonly certificate: string;
  readonly privateKey: string;
}): ListenerCertificate {
  const context = createSecureContext({
    cert: certificate,
    key: privateKey,
    minVersion: 'TLSv1.2',
  });
  const parsed = new X509Certificate(certificate);
  return { context, certificate, fingerprint: parsed.fingerprint256, binding: bindingOf(parsed) };
}

function bindingOf({ raw, signatureAlgorithm = '' }: X509Certificate): Buffer | undefined {
  const [, bits] =
    /sha-?(1|224|256|384|512)\b/i.exec(signatureAlgorithm.replace(/With/i, ' With ')) ?? [];
  if (bits === undefined) return undefined;
  return createHash(bits === '1' ? 'sha256' : `sha${bits}`)
    .update(raw)
    .digest();
}

/** The names of this server that clients may connect to. */
function ownNames({ publicUrl, sqlHost }: NamedConfig): string[] {
  const publicName = publicUrl ? new URL(publicUrl).hostname.replace(/^\[|\]$/g, '') : undefined;
  const listened = ANY_ADDRESS.has(sqlHost) ? undefined : sqlHost;
  const names = [publicName, listened, hostname(), 'localhost', '127.0.0.1', '::1'];
  return [
    ...new Set(names.filter((name) => name !== undefined).map((name) => name.toLowerCase())),
  ].filter((name) => PLAIN_NAME.test(name));
}

function covers(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
}

/** False for a certificate of a wrong clock, and for one that ends soon. */
function isInDate({ validFromDate, validToDate }: X509Certificate): boolean {
  const now = Date.now();
  return validFromDate.getTime() <= now && now + RENEW_MILLISECONDS < validToDate.getTime();
}

function namesOf(certificate: X509Certificate): string[] {
  const listed = certificate.subjectAltName?.split(', ') ?? [];
  return listed.map((name) => name.slice(name.indexOf(':') + 1));
}

interface OwnPair {
  readonly certificate: string;
  readonly privateKey: string;
}

/**
 * The self-signed pair. A certificate that lacks a name of this server or ends soon is replaced;
 * names of other servers stay.
 */
async function ownPair(db: Db, vault: Vault, config: NamedConfig): Promise<OwnPair> {
  const read = async (): Promise<OwnPair | undefined> => {
    const { rows } = await sql<{
      private_key: string;
      public_key: string;
    }>`select private_key, public_key from listener_key where type = ${TYPE}`.execute(db);
    return (
      rows[0] && {
        certificate: rows[0].public_key,
        privateKey: vault.open(rows[0].private_key, CONTEXT),
      }
    );
  };
  const names = ownNames(config);
  const known = await read();
  const current = known && new X509Certificate(known.certificate);
  if (known && current && isInDate(current) && names.every((name) => covers(current, name)))
    return known;
  const all = new Set([...names, ...(current ? namesOf(current) : [])]);
  const created = await makeKeyWithCertificate(
    names[0] ?? 'sallyport',
    YEARS,
    [...all].slice(0, MAX_NAMES),
  );
  // Servers that start at the same time agree on one row.
  const sealed = vault.seal(created.privateKey, CONTEXT);
  await sql`insert into listener_key (type, private_key, public_key)
    values (${TYPE}, ${sealed}, ${created.certificate})
    on conflict (type) do update set private_key = excluded.private_key,
      public_key = excluded.public_key
    where listener_key.public_key = ${known?.certificate ?? ''}`.execute(db);
  return (await read()) ?? created;
}
