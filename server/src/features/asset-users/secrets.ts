import { assetUser, type Resource, text } from '@sallyport/contract';
import type { Context } from '../../http/context.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import type { ListSource } from '../../resources/read/page.ts';
import { type SealedLogin, secretContext } from '../assets/index.ts';
import { isVerified } from '../identity/index.ts';
import type { AssetUserList } from './list.ts';
import type { AssetUserRow } from './wire-rows.ts';

/** A decrypted secret; empty texts if there is none. */
export interface OpenSecret {
  readonly password: string;
  readonly private_key: string;
  readonly public_key: string;
}

export interface SecretServices {
  readonly db: Db;
  readonly vault: Vault;
  readonly settings: SettingsService;
  readonly audit: AuditWriter;
}

type Table = SealedLogin['table'];
const TABLE_OF: Readonly<Record<string, Table>> = {
  db: 'asset_user',
  admin_user: 'admin_user',
  system_user: 'system_account',
  system_user_dynamic: 'system_account',
};
const NONE: OpenSecret = { password: '', private_key: '', public_key: '' };

/**
 * Checks that the caller has verified a second factor recently, if the settings require it.
 * @throws Forbidden
 */
export async function assertMaySeeSecrets(
  context: Context,
  services: Pick<SecretServices, 'db' | 'settings'>,
): Promise<void> {
  if (
    services.settings.get('SECURITY_VIEW_AUTH_NEED_MFA') &&
    !(await isVerified(context, services))
  )
    throw new Forbidden('mfa_verify_required');
}

/** Decrypts the secrets of rows of a table, by their ids. */
export async function openSecrets(
  table: Table,
  ids: readonly string[],
  { db, vault }: Pick<SecretServices, 'db' | 'vault'>,
): Promise<Map<string, OpenSecret>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string } & { readonly [K in keyof OpenSecret]: string | null }>`
    select id, password, private_key, public_key from ${sql.table(table)}
    where id = any (${ids}::uuid[])`.execute(db);
  return new Map(
    rows.map(({ id, ...sealed }) => {
      const open = (column: keyof OpenSecret) => {
        const value = sealed[column];
        return value === null ? '' : vault.open(value, secretContext(table, column, id));
      };
      return [
        id,
        {
          password: open('password'),
          private_key: open('private_key'),
          public_key: open('public_key'),
        },
      ];
    }),
  );
}

/** Logs that the caller viewed secrets. Must succeed before they are returned. */
export async function recordViews(
  { db, audit }: Pick<SecretServices, 'db' | 'audit'>,
  context: Pick<Context, 'actor'>,
  seen: readonly { readonly kind: Resource; readonly id: string; readonly name: string }[],
): Promise<void> {
  await db.transaction((tx) =>
    audit(
      tx,
      context,
      ...seen.map(({ kind, id, name }) => ({
        action: 'view' as const,
        resourceType: kind.name,
        resource: name,
        resourceId: id,
      })),
    ),
  );
}

const WITH_SECRETS: Resource = {
  ...assetUser,
  fields: {
    ...assetUser.fields,
    password: text({ label: assetUser.fields.password.label, readOnly: true }),
    private_key: text({
      label: assetUser.fields.private_key.label,
      readOnly: true,
      multiline: true,
    }),
    public_key: text({ label: assetUser.fields.public_key.label, readOnly: true, multiline: true }),
  },
};

export type OpenAssetUser = AssetUserRow & OpenSecret;

/** Adds secrets to a list of accounts, and logs each before it is returned. */
export function withSecrets(
  list: AssetUserList,
  services: SecretServices,
): ListSource<OpenAssetUser> & {
  open(rows: readonly AssetUserRow[], context: Pick<Context, 'actor'>): Promise<OpenAssetUser[]>;
} {
  const open = async (
    rows: readonly AssetUserRow[],
    context: Pick<Context, 'actor'>,
  ): Promise<OpenAssetUser[]> => {
    const byTable = Map.groupBy(rows, ({ backend }) => TABLE_OF[backend] ?? 'asset_user');
    const opened = new Map<string, OpenSecret>();
    for (const [table, some] of byTable)
      for (const [id, secret] of await openSecrets(
        table,
        some.map(({ origin_id }) => origin_id),
        services,
      ))
        opened.set(id, secret);
    await recordViews(
      services,
      context,
      rows.map(({ origin_id, username, hostname }) => ({
        kind: assetUser,
        id: origin_id,
        name: `${username}@${hostname}`,
      })),
    );
    return rows.map((row) => ({ ...row, ...(opened.get(row.origin_id) ?? NONE) }));
  };
  return {
    resource: WITH_SECRETS,
    open,
    async list(query, caller) {
      const page = await list.list(query, caller);
      return page && { count: page.count, results: await open(page.results, caller) };
    },
    async *stream(query, caller, forFile) {
      for await (const rows of list.stream(query, caller, forFile)) yield await open(rows, caller);
    },
  };
}
