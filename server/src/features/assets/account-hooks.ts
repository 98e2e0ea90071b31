import {
  adminUser,
  type Problem,
  protocolOf,
  systemUser,
  TELNET_PATTERNS,
} from '@sallyport/contract';
import { generateSshKeyPair } from '@sallyport/ssh';
import { patternLines, patternProblem } from '../../platform/allowed-commands.ts';
import { randomPassword } from '../../platform/crypto/password.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Invalid, Rejected } from '../../platform/errors.ts';
import { patternProblem as expressionProblem } from '../../platform/pattern.ts';
import { readPrivateKey } from '../../platform/private-keys/read.ts';
import { publicKeyProblem } from '../../platform/ssh-keys.ts';
import { hooksFor, type Values } from '../../resources/hooks.ts';
import { type AttentionConditions, attentionFilter } from '../../resources/read/scope.ts';
import { dateSecretChanged, hasPreviousSecret } from './previous-secrets.ts';
import { assetsOfReference } from './reference-sums.ts';
import { assertSwitch, usersOfSource } from './switch-user.ts';

/** System users with failed pushes. */
export const SYSTEM_USER_ATTENTION = {
  failed_pushes: () =>
    sql`t.id in (select p.system_user_id from system_user_push p where p.state = 'failed')`,
} satisfies AttentionConditions;

/** VNC uses the password as a cipher key, so its bytes must not depend on an encoding. */
const NOT_FOR_VNC = /[^\x20-\x7e]/;

interface Keys {
  private_key?: unknown;
  readonly public_key?: unknown;
  readonly password?: unknown;
}

/**
 * Checks that keys are readable, and brings the private key into a form that SSH clients read. The
 * password of the same body is the passphrase.
 * @throws Invalid
 */
export async function readKeys(values: Keys): Promise<void> {
  if (values.private_key) {
    const read = await readPrivateKey(String(values.private_key), String(values.password ?? ''));
    if ('problem' in read) throw new Invalid({ private_key: [read.problem] });
    values.private_key = read.key;
  }
  const publicKey = values.public_key ? publicKeyProblem(String(values.public_key)) : undefined;
  if (publicKey) throw new Invalid({ public_key: [publicKey] });
}

export const adminUserHooks = hooksFor(adminUser, {
  columns: {
    assets_amount: () => assetsOfReference,
    date_secret_changed: dateSecretChanged,
    has_previous_secret: hasPreviousSecret,
  },
  beforeSave: (values) => readKeys(values),
  async beforeDelete(row, { tx }) {
    const { rows } = await sql`select 1 from asset where admin_user_id = ${row.id} limit 1`.execute(
      tx,
    );
    if (rows.length > 0) throw new Rejected('in_use', { what: { en: 'assets', zh: '资产' } });
  },
});

/**
 * Generates a password, and for ssh a key pair, for a new account whose form requests it. Typed
 * secrets are replaced, because their fields are hidden while the box is checked. For existing
 * accounts, and those without automatic login, the box has no effect.
 */
function generateSecrets(values: Values, isNew: boolean): void {
  const isRequested = values.auto_generate_key === true;
  delete values.auto_generate_key;
  const protocol = String(values.protocol ?? 'ssh');
  const account = protocolOf(protocol)?.account;
  if (!isRequested || !isNew || (values.login_mode ?? 'auto') !== 'auto' || !account?.canPush)
    return;
  values.password = randomPassword();
  if (!account.privateKey) return;
  const { private: privateKey, public: publicKey } = generateSshKeyPair(
    String(values.username ?? ''),
  );
  values.private_key = privateKey;
  values.public_key = publicKey;
}

/**
 * Rejects an allow list that is empty, unreadable, or for a protocol other than SSH.
 * @throws Invalid
 */
function assertAllowed(text: string, protocol: string): void {
  if (protocol !== 'ssh') throw new Invalid({ enforced: [{ code: 'enforced_needs_ssh' }] });
  if (patternLines(text).length === 0)
    throw new Invalid({ allowed_commands: [{ code: 'allowed_missing' }] });
  for (const [index, line] of text.split('\n').entries()) {
    const [pattern] = patternLines(line);
    const problem = pattern === undefined ? undefined : patternProblem(pattern);
    if (problem)
      throw new Invalid({
        allowed_commands: [
          {
            code: 'not_allowed_command',
            params: { line: index + 1, text: pattern?.slice(0, 80) ?? '' },
          },
        ],
      });
  }
}

/** A principal of a certificate; OpenSSH separates principals by commas, and quotes lists. */
const PRINCIPAL = /^(?!.*\\$)[^\s,"\p{C}]{1,64}$/u;

/** Rejects certificates for other protocols than SSH, and unusable principals. @throws Invalid */
function assertCertifiable(principals: string, protocol: string): void {
  if (protocol !== 'ssh') throw new Invalid({ login_mode: [{ code: 'certificate_needs_ssh' }] });
  const names = principals.split('\n').map((name) => name.trim());
  const wrong = names.find((name) => name !== '' && !PRINCIPAL.test(name));
  if (wrong !== undefined)
    throw new Invalid({
      certificate_principals: [{ code: 'not_principal', params: { text: wrong.slice(0, 80) } }],
    });
}

/** Returns true if a system user gets a secret, or keeps the one of its row. */
async function hasSecret(values: Keys, id: unknown, tx: Tx): Promise<boolean> {
  if (values.password || values.private_key) return true;
  if (id === undefined) return false;
  const { rows } = await sql`select 1 from system_account where id = ${id}
    and (password is not null or private_key is not null)`.execute(tx);
  return rows.length > 0;
}

/** Counts the assets that each system user reaches at a version of the grants, by its id. */
type ReachOf = (
  systemUserIds: readonly string[],
  version: number,
  db: Db | Tx,
) => Promise<ReadonlyMap<string, number>>;

export const createSystemUserHooks = (reachOf: ReachOf, vault: Vault) =>
  hooksFor(systemUser, {
    filters: { attention: attentionFilter(SYSTEM_USER_ATTENTION) },
    columns: {
      // The version of the grants: `present` replaces it by the cached number of that version.
      assets_amount: () => sql`(select version from grant_version)`,
      ssh_public_key: () => sql`t.public_key`,
      permissions_amount: () =>
        sql`(select count(*) from asset_permission_system_users p where p.system_user_id = t.id)`,
      date_secret_changed: dateSecretChanged,
      has_previous_secret: hasPreviousSecret,
    },
    async present(rows, { db }) {
      const counted = rows.filter((row) => 'assets_amount' in row);
      const amounts = await reachOf(
        counted.map((row) => String(row.id)),
        Number(counted[0]?.assets_amount),
        db,
      );
      for (const row of counted) row.assets_amount = amounts.get(String(row.id)) ?? 0;
      for (const row of rows) {
        // The public key is sealed as well but is not secret: administrators install it on assets.
        if ('ssh_public_key' in row)
          row.ssh_public_key = row.ssh_public_key
            ? vault.open(String(row.ssh_public_key), `system_account.public_key.${row.id}`)
            : '';
      }
    },
    async beforeSave(values, previous, { caller, tx }) {
      generateSecrets(values, previous === undefined);
      await readKeys(values);
      const value = (name: keyof typeof values & keyof NonNullable<typeof previous>): unknown =>
        values[name] ?? previous?.[name];
      const protocol = String(value('protocol') ?? 'ssh');
      const account = protocolOf(protocol)?.account;
      const mode = value('login_mode');
      const isManual = mode === 'manual';
      const from = values.su_from === undefined ? previous?.su_from : values.su_from;
      const method = String(value('su_method') ?? 'su');
      const isDevice = from != null && method !== 'su' && method !== 'sudo';
      if (isManual || isDevice || !account?.canPush) values.auto_push = false;
      if (mode !== 'auto' || protocol !== 'vnc') values.no_password = false;
      if (mode === 'certificate')
        assertCertifiable(String(value('certificate_principals') ?? ''), protocol);
      const sameName = value('username_same_with_user') === true;
      const problems: Record<string, Problem[]> = {};
      if (!isManual && account?.requiresLogin) {
        if (!value('username') && !sameName)
          problems.username = [{ code: 'login_required_credentials' }];
        const isSudo = from != null && method === 'sudo';
        if (mode !== 'certificate' && !isSudo && !(await hasSecret(values, previous?.id, tx)))
          problems.password = [{ code: 'login_required_credentials' }];
      }
      if (protocol === 'vnc' && values.password && NOT_FOR_VNC.test(values.password))
        problems.password = [{ code: 'vnc_password' }];
      if (value('enforced') === true)
        assertAllowed(String(value('allowed_commands') ?? ''), protocol);
      if (sameName) {
        const { rows } = await sql`
        select 1 from system_account where org_id = ${caller.actor.organization.id}
          and protocol = ${protocol} and username_same_with_user
          and id is distinct from ${previous?.id ?? null}::uuid`.execute(tx);
        if (rows.length > 0) problems.username_same_with_user = [{ code: 'not_unique' }];
      }
      for (const name of TELNET_PATTERNS) {
        const problem = expressionProblem(values[name] ?? '');
        if (problem) problems[name] = [problem];
      }
      if (Object.keys(problems).length > 0) throw new Invalid(problems);
      await assertSwitch(
        {
          protocol,
          mode: String(mode ?? 'auto'),
          username: String(value('username') ?? ''),
          hasSameName: sameName,
          isEnforced: value('enforced') === true,
          from: from == null ? null : String(from),
          method,
        },
        previous?.id,
        tx,
      );
    },
    async beforeDelete(row, { tx }) {
      const what = await usersOfSource(row.id, tx);
      if (what !== '') throw new Rejected('in_use', { what });
    },
  });
