import { SWITCH_NAME } from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Invalid } from '../../platform/errors.ts';

/** The settings that decide whether a system user can switch, or be switched from. */
interface SwitchSettings {
  readonly protocol: string;
  readonly mode: string;
  readonly username: string;
  readonly hasSameName: boolean;
  readonly isEnforced: boolean;
  readonly from: string | null;
  readonly method: string;
}

/** Names of system users in an error text. */
const MAX_NAMES = 5;

/**
 * Checks a system user that switches from another one, and one that others switch from.
 * @throws Invalid
 */
export async function assertSwitch(settings: SwitchSettings, id: unknown, tx: Tx): Promise<void> {
  const { from } = settings;
  if (from !== null) await assertTarget({ ...settings, from }, id, tx);
  const isSource =
    from === null &&
    (settings.protocol === 'ssh' || settings.protocol === 'telnet') &&
    settings.mode !== 'manual' &&
    !settings.isEnforced;
  const names = id === undefined || isSource ? '' : await usersOfSource(id, tx);
  if (names !== '')
    throw new Invalid({ non_field_errors: [{ code: 'switch_source', params: { names } }] });
}

async function assertTarget(
  settings: SwitchSettings & { readonly from: string },
  id: unknown,
  tx: Tx,
): Promise<void> {
  const { protocol, mode, hasSameName, isEnforced, method, username, from } = settings;
  const isShell = method === 'su' || method === 'sudo';
  const fits = protocol === 'ssh' || (protocol === 'telnet' && !isShell);
  if (!fits || mode !== 'auto' || hasSameName || isEnforced)
    throw new Invalid({ su_from: [{ code: 'switch_needs' }] });
  if (isShell && !SWITCH_NAME.test(username))
    throw new Invalid({ username: [{ code: 'switch_username' }] });
  const { rows } = await sql`select 1 from system_account where id = ${from}
    and id is distinct from ${id ?? null}::uuid and protocol = ${protocol}
    and login_mode <> 'manual' and not enforced and su_from_id is null for share`.execute(tx);
  if (rows.length === 0) throw new Invalid({ su_from: [{ code: 'switch_from' }] });
}

/** Returns the names of some system users that switch from this one, separated by commas. */
export async function usersOfSource(id: unknown, tx: Tx): Promise<string> {
  const { rows } = await sql<{ name: string }>`select name from system_account
    where su_from_id = ${id} order by name limit ${MAX_NAMES}`.execute(tx);
  return rows.map(({ name }) => name).join(', ');
}
