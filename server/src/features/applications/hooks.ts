import { X509Certificate } from 'node:crypto';
import {
  DATABASE_TYPES,
  databaseApp,
  REMOTE_APP_TYPES,
  type RemoteAppType,
  remoteApp,
  remoteAppParams,
} from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';

/** Name of the password parameter of a type; '' if it has none. */
const passwordOf = (type: unknown): string =>
  remoteAppParams(type).find((name) => name.endsWith('_password')) ?? '';

const usualPath = (type: RemoteAppType): string =>
  REMOTE_APP_TYPES.find(({ value }) => value === type)?.path ?? '';

/**
 * Hooks of remote apps. Parameters of other types are dropped, and the password parameter is sealed
 * separately.
 */
export const createRemoteAppHooks = ({ isLicensed }: { readonly isLicensed: () => boolean }) =>
  hooksFor(remoteApp, {
    columns: {
      asset_info: () =>
        sql`(select jsonb_build_object('id', a.id, 'hostname', a.hostname) from asset a
          where a.id = t.asset_id)`,
    },
    beforeSave(values, previous) {
      if (!previous && !isLicensed()) throw new Forbidden('license_required');
      const type: RemoteAppType = values.type ?? previous?.type ?? 'chrome';
      const path = (values.path ?? previous?.path) || usualPath(type);
      if (path === '') throw invalid('path', 'required');
      if (!previous || values.path !== undefined) values.path = path;
      const params: Readonly<Record<string, string | undefined>> =
        values.params ?? (type === previous?.type ? previous.params : {});
      const password = params[passwordOf(type)] ?? values.password;
      const names = remoteAppParams(type).filter((name) => name !== passwordOf(type));
      values.params = Object.fromEntries(
        names.flatMap((name) => (params[name] ? [[name, params[name]]] : [])),
      );
      if (password) values.password = password;
      else delete values.password;
    },
    async afterSave(saved, { tx }) {
      // A password of another type does not apply to the new one.
      const changed = saved.filter(
        ({ values, previous }) =>
          previous &&
          values.type !== undefined &&
          values.type !== previous.type &&
          !values.password,
      );
      if (changed.length > 0)
        await clearPasswords(
          changed.map(({ id }) => id),
          tx,
        );
    },
  });

async function clearPasswords(ids: readonly string[], tx: Tx): Promise<void> {
  await sql`update remote_app set password = null where id = any (${ids}::uuid[])`.execute(tx);
}

/** Returns true if each PEM block of a text is a certificate. */
function isCertificate(text: string): boolean {
  try {
    // Text before the first certificate is a comment, as in the output of `openssl x509 -text`.
    const blocks = text.split(/(?=-----BEGIN )/).filter((part) => part.startsWith('-----BEGIN '));
    return (blocks.length > 0 ? blocks : [text]).every(
      (one) => new X509Certificate(one) !== undefined,
    );
  } catch {
    return false;
  }
}

/** Redis databases are numbered. A server may have more than the usual sixteen. */
const REDIS_NUMBER = /^\d{1,5}$/;

export const databaseAppHooks = hooksFor(databaseApp, {
  beforeSave(values, previous) {
    const type = values.type ?? previous?.type ?? 'mysql';
    const usual = DATABASE_TYPES.find(({ value }) => value === type);
    if (!previous && usual) values.port ??= usual.port;
    const database = values.database === undefined ? previous?.database : values.database;
    if (type === 'redis' && database && !REDIS_NUMBER.test(database))
      throw invalid('database', 'not_integer');
    if (values.ca_certificate && !isCertificate(values.ca_certificate))
      throw invalid('ca_certificate', 'not_certificate');
  },
});
