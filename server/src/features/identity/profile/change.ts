import { boolean, type Fields, type Problem, parseBody, user } from '@sallyport/contract';
import type { Context } from '../../../http/context.ts';
import { type Db, type Tx, transact } from '../../../platform/db/database.ts';
import { Invalid, invalid } from '../../../platform/errors.ts';
import { factsOf, policyActor } from '../accounts/account-facts.ts';
import { assertEmailIsFree } from '../accounts/email.ts';
import { confirmedFactsOf, lockAccount, mfaLevelOf, updateAccount } from '../accounts/store.ts';
import { assertConfirmed } from '../mfa/confirmed.ts';
import { hasFactor } from '../mfa/second-factors.ts';
import { needsConfirmation, ownChanges } from '../policy.ts';
import { assertSignedIn } from '../sign-in-sessions/current.ts';
import { ownKeyProblem, type ProfileServices } from './profile.ts';

/** Fields that every user may change on the own account (conformance 2.40). */
export const OWN_FIELDS: Fields = {
  wechat: user.fields.wechat,
  phone: user.fields.phone,
  comment: user.fields.comment,
  public_key: user.fields.public_key,
  mfa_level: user.fields.mfa_level,
  is_first_login: boolean({ label: user.fields.is_first_login.label, required: false }),
};

/**
 * Fields that administrators change here after a confirmation. For others they are read-only, and
 * unchanged values are accepted.
 */
export const CONFIRMED_FIELDS: Fields = {
  name: user.fields.name,
  email: user.fields.email,
  date_expired: user.fields.date_expired,
};

/** Members that the profile adds to an account. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'admin_or_audit_orgs',
  'current_org_roles',
  'guide_url',
  'password_days_left',
  'password_sign_ins_left',
  'own_changes',
  'watermark',
]);

type Values = Record<string, unknown>;
type Changes = readonly (readonly [name: string, value: unknown])[];

/** Changes the own account. @throws Invalid, Forbidden */
export async function changeProfile(services: ProfileServices, context: Context): Promise<void> {
  const values = await readChange(services, context);
  await checkLevel(services, context, values);
  const changes = Object.entries(values).filter(
    ([name, value]) => name !== 'public_key' || value !== '',
  );
  await confirm(services, context, changes);
  if (changes.length > 0)
    await transact(services.db, (tx) => store(services, context, changes, tx));
}

/** Reads a change of the own account. @throws Invalid */
async function readChange({ db, settings }: ProfileServices, context: Context): Promise<Values> {
  const body = (context.request.body ?? {}) as Values;
  const fields = { ...OWN_FIELDS, ...(await confirmedFields(context, db)) };
  // Other fields are read-only here; their unchanged values are accepted.
  const own = Object.fromEntries(
    Object.entries(body).filter(
      ([name]) => name in fields || !(name in user.fields || READ_ONLY.has(name)),
    ),
  );
  const { created_by: readOnly } = user.fields;
  const { values, problems: found } = parseBody(
    { ...fields, public_key_comment: readOnly, public_key_hash_md5: readOnly },
    own,
    'change',
    { zone: context.zone },
  );
  const problems: Record<string, readonly Problem[]> = found;
  if (typeof values.public_key === 'string') values.public_key = values.public_key.trim();
  const keyProblem = values.public_key
    ? ownKeyProblem(String(values.public_key), settings)
    : undefined;
  if (keyProblem) problems.public_key = [keyProblem];
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return values;
}

/** Returns the fields that this caller may change after a confirmation. */
async function confirmedFields(context: Context, db: Db): Promise<Fields> {
  const target = await factsOf(context.actor.userId, db);
  const names: readonly string[] = target ? ownChanges(policyActor(context), target) : [];
  return Object.fromEntries(
    Object.entries(CONFIRMED_FIELDS).filter(([name]) => names.includes(name)),
  );
}

/**
 * Users may switch the second factor on for their next sign-in, and off while they have none. A
 * mandatory factor stays.
 */
async function checkLevel(
  { db, factors }: ProfileServices,
  context: Context,
  values: Values,
): Promise<void> {
  if (values.mfa_level === undefined) return;
  const { userId } = context.actor;
  const now = await mfaLevelOf(userId, db);
  if (values.mfa_level === now) {
    delete values.mfa_level;
    return;
  }
  assertSignedIn(context);
  if (values.mfa_level === 2 || now === 2) throw invalid('mfa_level', 'object_protected');
  if (values.mfa_level === 0 && hasFactor(await factors.summary(userId)))
    throw invalid('mfa_level', 'mfa_remove_first');
}

/**
 * Requires a confirmation if such a field changes.
 * @throws Forbidden, Invalid
 */
async function confirm(
  services: ProfileServices,
  context: Context,
  changes: Changes,
): Promise<void> {
  const sensitive = changes.filter(([name]) => needsConfirmation(name));
  if (sensitive.length === 0) return;
  const stored = await confirmedFactsOf(context.actor.userId, services.db);
  if (sensitive.every(([name, value]) => isSame(stored[name], value))) return;
  const isKey = sensitive.every(([name]) => name === 'public_key');
  await assertConfirmed(context, (context.request.body as Values).password, services, isKey);
}

/** Stores and logs a change. */
async function store(
  { audit }: ProfileServices,
  context: Context,
  changes: Changes,
  tx: Tx,
): Promise<void> {
  const { userId, name: ownName, username } = context.actor;
  const before = await lockAccount(userId, tx);
  const changed = changes.filter(
    ([name, value]) => name === 'public_key' || !isSame(before[name], value),
  );
  if (changed.length === 0) return;
  const email = changed.find(([name]) => name === 'email');
  if (email) await assertEmailIsFree(String(email[1]), userId, tx);
  await updateAccount(userId, changes, tx);
  const pairOf = (name: string, value: unknown) =>
    name === 'public_key'
      ? (['******', '******'] as const)
      : ([before[name] ?? null, value] as const);
  await audit(tx, context, {
    action: 'update',
    resourceType: 'user',
    resource: `${ownName}(${username})`,
    resourceId: userId,
    changes: Object.fromEntries(changed.map(([name, value]) => [name, pairOf(name, value)])),
  });
}

/** Returns true if the values are equal; dates lose their fraction of a second on the wire. */
function isSame(before: unknown, value: unknown): boolean {
  if (value instanceof Date) {
    const stored = before instanceof Date ? before : new Date(String(before));
    return Math.abs(stored.getTime() - value.getTime()) < 1_000;
  }
  return (before ?? '') === (value ?? '');
}
