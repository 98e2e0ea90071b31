import {
  CHAINED_LOGS,
  dutyChangesSettings,
  type Field,
  keepDaysOf,
  type Settings,
  SIGN_IN_SETTINGS,
} from '@sallyport/contract';
import type { Config } from '../../config.ts';
import type { Context } from '../../http/context.ts';
import { type Actor, type Caller, FIRST_ADMINISTRATOR } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { InvalidCategories } from '../../platform/errors.ts';
import { type Known, movedSecrets, type SettingsService } from '../../platform/settings/service.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import {
  CATEGORIES,
  CATEGORY_OF,
  type ChangeMode,
  readCategories,
  type SettingValues,
} from './read-categories.ts';

/**
 * Categories that control access. Changing them requires a proof of identity, not just an open
 * page.
 */
const CONFIRMED_CATEGORIES: ReadonlySet<string> = new Set([
  'security',
  'alerts',
  ...Object.keys(SIGN_IN_SETTINGS),
]);

const MASK = '******';

/** Name of the stored preset, and of its entries in the operate log. */
export const PRESET = 'COMPLIANCE_PRESET';

/** Services of a change. */
export interface SettingsServices {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly audit: AuditWriter;
  /** Minimum days of retention that the configuration of the server demands. */
  readonly keepAtLeast: Config['keepAtLeast'];
  /** Features that are off. Their settings do not exist. */
  readonly without?: readonly string[] | undefined;
}

/** SettingValues to store, and the compliance preset that they belong to. */
export interface WantedSettings {
  readonly values: SettingValues;
  /** The preset that is then in force; empty: none. Undefined for single settings. */
  readonly preset?: string;
}

type Decide = (before: Known, tx: Tx) => WantedSettings | Promise<WantedSettings>;

/**
 * Changes settings and writes the changes to the operate log.
 * @throws InvalidCategories
 */
export async function changeSettings(
  services: SettingsServices,
  context: Context,
  mode: ChangeMode,
): Promise<void> {
  const values = readCategories(context.request.body, mode, context.zone, services.without);
  await storeSettings(services, context, () => ({ values }));
}

/**
 * Stores settings in one transaction with their entries in the operate log: one per setting, or a
 * single one for a preset. `decide` receives the settings in force, which are locked.
 * @throws InvalidCategories
 */
export async function storeSettings(
  services: SettingsServices,
  context: Context,
  decide: Decide,
): Promise<void> {
  await services.db.transaction((tx) =>
    storeIn(services, context, decide, { tx, confirms: true, isByDuty: true }),
  );
  // The next request must see the change, even before the notification arrives.
  await services.settings.reload();
}

interface SettingsOfChangeSet {
  readonly caller: Caller;
  readonly body: unknown;
  /** The compliance preset that is then in force; undefined keeps it. */
  readonly preset: string | undefined;
  readonly confirms: boolean;
}

/**
 * Changes single settings in the transaction of a change set, whose two administrators replace the
 * duties of categories. Other servers and this one read them
 * after its commit.
 * @throws InvalidCategories
 */
export async function changeSettingsIn(
  tx: Tx,
  services: SettingsServices,
  { caller, body, preset, confirms }: SettingsOfChangeSet,
): Promise<void> {
  const values = readCategories(body, 'change', caller.zone);
  const target = preset === undefined ? { values } : { values, preset };
  await storeIn(services, caller, () => target, { tx, confirms, isByDuty: false });
}

interface Writing {
  readonly tx: Tx;
  readonly confirms: boolean;
  /** True if each category belongs to a duty. */
  readonly isByDuty: boolean;
}

async function storeIn(
  { settings, audit, keepAtLeast }: Omit<SettingsServices, 'db'>,
  context: Caller,
  decide: Decide,
  { tx, confirms, isByDuty }: Writing,
): Promise<void> {
  const before = await settings.read(tx);
  const target = await decide(before, tx);
  const preset = target.preset ?? before.COMPLIANCE_PRESET;
  const values = { ...target.values };
  assertTogether(values, { ...before, ...values }, settings);
  assertKept(values, keptAtLeast(keepAtLeast, preset));
  await assertBucket(values, tx);
  const dropped = dropMovedSecrets(values, before);
  const changes = changedFields(values, before, dropped).map(changeOf(values, before));
  assertDuty(changes, context.actor, isByDuty && target.preset === undefined);
  const isConfirmed = changes.some(([name]) =>
    CONFIRMED_CATEGORIES.has(CATEGORY_OF.get(name) ?? ''),
  );
  if (confirms && (isConfirmed || target.preset !== undefined)) await settings.confirm(context);
  const changed = Object.fromEntries(changes.map(([name]) => [name, values[name]]));
  if (target.preset !== undefined) {
    changes.push([PRESET, [before.COMPLIANCE_PRESET, preset]]);
    changed[PRESET] = preset;
  }
  if (changes.length > 0) await settings.store(changed, tx);
  const entries = target.preset === undefined ? changes.map((change) => [change]) : [changes];
  await audit(tx, context, ...entries.map(entryOf));
}

/** @throws InvalidCategories if the new values conflict with the other values in force */
function assertTogether(
  values: SettingValues,
  together: Settings,
  rules: Pick<SettingsService, 'problemsOf'>,
): void {
  const touched = CATEGORIES.filter(([, { fields }]) =>
    Object.keys(fields).some((name) => name in values),
  );
  const problems = touched
    .map(([category]) => [category, rules.problemsOf(category, together)] as const)
    .filter(([, fields]) => Object.keys(fields).length > 0);
  if (problems.length > 0) throw new InvalidCategories(Object.fromEntries(problems));
}

/** Returns the minimum days of each log, by the configuration and by the preset in force. */
export function keptAtLeast(
  configured: Config['keepAtLeast'],
  preset: string,
): Config['keepAtLeast'] {
  const days = keepDaysOf(preset);
  return Object.fromEntries(CHAINED_LOGS.map((log) => [log, Math.max(configured[log] ?? 0, days)]));
}

/** @throws InvalidCategories if a retention is below the minimum of a log that it applies to */
function assertKept(values: SettingValues, keepAtLeast: Config['keepAtLeast']): void {
  const { session_digest: sessions = 0, ...logs } = keepAtLeast;
  const minimums = {
    LOGIN_LOG_KEEP_DAYS: ['security', Math.max(0, ...Object.values(logs))],
    TERMINAL_SESSION_KEEP_DURATION: ['terminal', sessions],
  } as const;
  for (const [name, [category, min]] of Object.entries(minimums)) {
    const days = values[name];
    if (typeof days === 'number' && days < min)
      throw new InvalidCategories({
        [category]: { [name]: [{ code: 'too_small', params: { min } }] },
      });
  }
}

/** @throws InvalidCategories if a change belongs to another duty than that of the actor */
function assertDuty(changes: readonly Change[], actor: Actor, isByCategory: boolean): void {
  for (const [name, [, after]] of changes) {
    const category = CATEGORY_OF.get(name) ?? '';
    const endsSeparation = name === 'SECURITY_SEPARATE_DUTIES' && after === false;
    const code =
      endsSeparation && actor.username !== FIRST_ADMINISTRATOR
        ? 'duty_separation'
        : !isByCategory || dutyChangesSettings(actor.duty, category)
          ? undefined
          : 'duty_setting';
    if (code) throw new InvalidCategories({ [category]: { [name]: [{ code }] } });
  }
}

/** @throws InvalidCategories if the storage of backups is not a bucket of the replay storages */
async function assertBucket({ BACKUP_STORAGE: id }: SettingValues, tx: Tx): Promise<void> {
  if (typeof id !== 'string' || id === '') return;
  const { rows } = await sql`select from replay_storage
    where id::text = ${id} and type not in ('server', 'null')`.execute(tx);
  if (rows.length === 0)
    throw new InvalidCategories({ backup: { BACKUP_STORAGE: [{ code: 'backup_storage' }] } });
}

/**
 * Clears secrets that are no longer used. Secrets that would go to another server must be entered
 * again.
 * @throws InvalidCategories
 */
function dropMovedSecrets(values: SettingValues, before: Settings): ReadonlySet<string> {
  const typed = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const { problems, dropped } = movedSecrets(before, { ...before, ...values }, typed);
  const [first] = Object.keys(problems);
  if (first) throw new InvalidCategories({ [CATEGORY_OF.get(first) ?? first]: problems });
  for (const name of dropped) values[name] = '';
  return new Set(dropped);
}

/** Returns the fields whose value changes. A blank secret keeps the stored one. */
function changedFields(
  values: SettingValues,
  before: Readonly<SettingValues>,
  dropped: ReadonlySet<string>,
): [string, Field][] {
  const isChanged = (name: string, { kind }: Field) =>
    kind === 'secret'
      ? values[name] !== '' || dropped.has(name)
      : JSON.stringify(values[name]) !== JSON.stringify(before[name]);
  return CATEGORIES.flatMap(([, { fields }]) =>
    Object.entries(fields).filter(([name, field]) => name in values && isChanged(name, field)),
  );
}

type Change = readonly [name: string, pair: readonly [before: unknown, after: unknown]];

/** Creates a function that returns a changed field for the log. Secrets are masked. */
const changeOf =
  (values: SettingValues, before: Readonly<SettingValues>) =>
  ([name, { kind }]: [string, Field]): Change => [
    name,
    kind === 'secret' ? [MASK, MASK] : [before[name], values[name]],
  ];

/** The log entry of changes that belong together. The last one names it. */
function entryOf(changes: readonly Change[]) {
  const name = changes.at(-1)?.[0] ?? '';
  return {
    action: 'update' as const,
    resourceType: 'setting',
    resource: name,
    resourceId: name,
    changes: Object.fromEntries(changes),
  };
}
