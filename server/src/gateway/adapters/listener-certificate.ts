import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { sql } from 'kysely';
import { type Config, StartError } from '../../config.ts';
import { makeKeyWithCertificate } from '../../platform/crypto/self-signed.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';

/** Its row among the keys of listeners; in the place of a public key it has the certificate. */
const TYPE = 'database-tls';
const CONTEXT = `listener_key.private_key.${TYPE}`;
const YEARS = 10;

/** By which the listeners for databases prove themselves. */
export interface ListenerCertificate {
  readonly context: SecureContext;
  /** In PEM. */
  readonly certificate: string;
  /** SHA-256, as `AB:CD:…`. */
  readonly fingerprint: string;
}

/** The certificate of the configuration; else one that signs itself, made once for all servers of the database. @throws StartError */
export async function ensureListenerCertificate({
  db,
  vault,
  config,
}: {
  readonly db: Db;
  readonly vault: Vault;
  readonly config: Config;
}): Promise<ListenerCertificate> {
  const { sqlCertificateFile, sqlKeyFile } = config;
  if (sqlCertificateFile === undefined && sqlKeyFile === undefined) return loaded(await ownPair(db, vault, config));
  if (sqlCertificateFile === undefined || sqlKeyFile === undefined) {
    throw new StartError('SALLYPORT_SQL_CERTIFICATE_FILE and SALLYPORT_SQL_KEY_FILE belong together; set both, or neither for a certificate of our own.');
  }
  try {
    return loaded({ certificate: await readFile(sqlCertificateFile, 'utf8'), privateKey: await readFile(sqlKeyFile, 'utf8') });
  } catch {
    throw new StartError('SALLYPORT_SQL_CERTIFICATE_FILE and SALLYPORT_SQL_KEY_FILE are not a certificate and its private key in PEM, or cannot be read.');
  }
}

function loaded({ certificate, privateKey }: { readonly certificate: string; readonly privateKey: string }): ListenerCertificate {
  const context = createSecureContext({ cert: certificate, key: privateKey, minVersion: 'TLSv1.2' });
  return { context, certificate, fingerprint: new X509Certificate(certificate).fingerprint256 };
}

async function ownPair(db: Db, vault: Vault, { publicUrl }: Config): Promise<{ readonly certificate: string; readonly privateKey: string }> {
  const read = async () => {
    const { rows } = await sql<{ private_key: string; public_key: string }>`select private_key, public_key from listener_key where type = ${TYPE}`.execute(db);
    return rows[0] && { certificate: rows[0].public_key, privateKey: vault.open(rows[0].private_key, CONTEXT) };
  };
  const known = await read();
  if (known) return known;
  const made = await makeKeyWithCertificate(publicUrl ? new URL(publicUrl).hostname : 'sallyport', YEARS);
  // Several servers that start at once end up with the same.
  await sql`insert into listener_key (type, private_key, public_key) values (${TYPE}, ${vault.seal(made.privateKey, CONTEXT)}, ${made.certificate})
    on conflict (type) do nothing`.execute(db);
  return (await read()) ?? made;
}
