import type { ErrorCode } from '@sallyport/contract';
import type { Tx } from '../../../platform/db/database.ts';
import { AppError, Rejected } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { foldedName } from '../accounts/folded-name.ts';
import { type ExternalPerson, type ImportContext, importIn } from '../accounts/import-people.ts';
import { accountById, accountNamed, type SignInAccount } from './pending.ts';
import { refusalOfAccount } from './validity.ts';

interface Trial extends Omit<ImportContext, 'states'> {
  /** The entered username. */
  readonly username: string;
  readonly settings: Pick<SettingsService, 'get'>;
}

/** Ends the transaction of a trial. */
class RolledBack extends Error {}

/**
 * Signs in a person that a source has just confirmed, up to the account, and rolls everything back.
 * Returns why the sign-in would fail; undefined if it would continue.
 */
export async function trySignInOf(
  person: ExternalPerson,
  { db, ...trial }: Trial,
): Promise<AppError | undefined> {
  let refusal: AppError | undefined;
  try {
    await db.transaction(async (tx) => {
      refusal = await refusalIn(person, trial, tx);
      throw new RolledBack();
    });
  } catch (error) {
    if (error instanceof AppError) return error;
    if (!(error instanceof RolledBack)) throw error;
  }
  return refusal;
}

async function refusalIn(
  person: ExternalPerson,
  { username, settings, ...context }: Omit<Trial, 'db'>,
  tx: Tx,
): Promise<AppError | undefined> {
  const { source, caller } = context;
  const known = await accountNamed(username, tx);
  const refused = (code: ErrorCode) => new Rejected(code);
  // The password of such an account is checked elsewhere.
  if (known && known.source !== source) return refused('directory_other_source');
  if (known && foldedName(person.username) !== foldedName(username))
    return refused('directory_unknown_person');
  const [imported] = await importIn([person], { ...context, states: 'all' }, tx);
  const account = await importedAccount(imported, known, tx);
  if (!account) return refused(imported?.result === 'refused' ? imported.reason : 'conflict');
  const { remoteAddress } = caller.actor;
  return refusalOfAccount(account, { first: 'password', kind: 'browser', remoteAddress, settings })
    ?.error;
}

/** Returns the account after the import. Fields that were refused do not stop a known account. */
async function importedAccount(
  imported: Awaited<ReturnType<typeof importIn>>[number] | undefined,
  known: SignInAccount | undefined,
  tx: Tx,
): Promise<SignInAccount | undefined> {
  const isRefused = imported?.result === 'refused';
  if (isRefused && (!known || imported.reason === 'directory_other_person')) return undefined;
  const id = isRefused ? known?.id : imported?.id;
  if (known && known.id !== id) return undefined;
  return id === undefined ? undefined : accountById(id, tx);
}
