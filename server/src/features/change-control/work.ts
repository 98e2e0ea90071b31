import {
  type AccessChange,
  type ChangeAction,
  controlledHostKey,
  controlledSettings,
  dutyDecidesSetting,
  type ProposedChange,
  parseBody,
  RESOURCES,
  type Resource,
  userGroup,
  writableFields,
} from '@sallyport/contract';
import { type Caller, mayUse } from '../../platform/actor.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { type Engines, engineOf, type ResourceEngine } from '../../resources/engines.ts';
import type { AuditWriter, StoredRow } from '../../resources/hooks.ts';
import { withoutEnd } from '../../resources/write/plan.ts';
import { createConsequences } from '../perms/index.ts';
import type { SettingsServices } from '../settings/index.ts';
import { makeHostKeyChange } from './host-keys.ts';
import { isSetting, makeSettingChange } from './settings.ts';
import type { ChangeSet, StoredChange, Values } from './store.ts';

/** The verb of the access declaration by action. */
const VERBS = {
  create: 'create',
  change: 'update',
  delete: 'delete',
  restore: 'create',
} as const satisfies Record<ChangeAction, string>;

/** Targets of permissions by resource. */
const TARGETS: Readonly<Record<string, string>> = {
  asset_permission: 'assets',
  remote_app_permission: 'remote_apps',
  database_app_permission: 'database_apps',
  cluster_permission: 'clusters',
};

/** @throws NotFound */
export function resourceOf({ resource: name }: ProposedChange): Resource {
  const resource = [...RESOURCES, controlledSettings, controlledHostKey].find(
    (one) => one.name === name,
  );
  if (!resource) throw notFound();
  return resource;
}

/** Returns the writes of a change set. */
export const writesOf = ({ changes }: Pick<ChangeSet, 'changes'>): ProposedChange[] =>
  changes.map(({ proposed }) => proposed);

/** Returns true if the caller may make each change directly, without control. */
export function mayMake(changes: readonly ProposedChange[], { actor }: Caller): boolean {
  return changes.every(
    (change) =>
      mayUse(actor, resourceOf(change), VERBS[change.action]) &&
      (!isSetting(change) ||
        Object.keys(change.body ?? {}).every((name) => dutyDecidesSetting(actor.duty, name))),
  );
}

/** Returns the caller as the route of the change would have it: below the parent object. */
const callerFor = (change: ProposedChange, caller: Caller): Caller =>
  change.parent ? { ...caller, within: { [change.resource]: change.parent } } : caller;

/** Returns the writable values of a row, in a fixed order. */
function valuesOf(resource: Resource, row: StoredRow): Values {
  return Object.fromEntries(
    writableFields(resource).flatMap(([name, { kind, mode }]) => {
      if (kind === 'id' || kind === 'secret' || mode === 'writeonly') return [];
      const value = row[name];
      return [
        [name, kind === 'many' && Array.isArray(value) ? [...value].sort() : (value ?? null)],
      ];
    }),
  );
}

/** @throws NotFound */
async function beforeOf(
  engine: ResourceEngine,
  change: ProposedChange,
  caller: Caller,
  tx: Tx,
): Promise<StoredRow | null> {
  if (change.action === 'create' || change.action === 'restore') return null;
  return engine.reader.retrieve(change.object ?? '', callerFor(change, caller), tx);
}

/** Returns the texts of a body: other names of a restored object. */
const namesIn = (body: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );

/** Writes one change through the engine, as its proposer. Returns the object before and after. */
async function write(
  engine: ResourceEngine,
  change: ProposedChange,
  { caller, tx, dryRun }: { caller: Caller; tx: Tx; dryRun: boolean },
): Promise<StoredRow | null> {
  const { writer } = engine;
  const options = { tx, dryRun };
  const by = callerFor(change, caller);
  const { object = '', body = {} } = change;
  if (change.action === 'create') return writer.create(body, by, options);
  if (change.action === 'change') return writer.change(object, body, by, options);
  if (change.action === 'restore') {
    const { row } = await writer.restore(object, by, {
      ...options,
      other: namesIn(body),
      // The decider reads what the object itself grants, not what others would grant to it.
      keepsGrants: false,
    });
    return row;
  }
  await writer.remove([object], by, options);
  return null;
}

export interface WorkOptions {
  readonly engines: Engines;
  readonly settings: SettingsServices;
  readonly audit: AuditWriter;
  readonly caller: Caller;
  readonly tx: Tx;
  readonly dryRun: boolean;
  /** Called with the object of each change before the write. May throw. */
  readonly check?: (index: number, before: Values | null) => void;
}

/** Writes changes in order. Returns them with their objects before and after. */
export async function makeChanges(
  changes: readonly ProposedChange[],
  { engines, settings, audit, caller, tx, dryRun, check }: WorkOptions,
): Promise<StoredChange[]> {
  const changed: StoredChange[] = [];
  for (const [index, proposed] of changes.entries()) {
    if (isSetting(proposed)) {
      const atCheck = (before: Values) => check?.(index, before);
      changed.push(
        await makeSettingChange(proposed, {
          settings,
          caller,
          tx,
          confirms: dryRun,
          check: atCheck,
        }),
      );
      continue;
    }
    if (proposed.resource === controlledHostKey.name) {
      const atCheck = (before: Values) => check?.(index, before);
      changed.push(await makeHostKeyChange(proposed, { audit, caller, tx, check: atCheck }));
      continue;
    }
    const engine = engineOf(engines, resourceOf(proposed));
    const row = await beforeOf(engine, proposed, caller, tx);
    const before = row && valuesOf(engine.resource, row);
    check?.(index, before);
    const saved = await write(engine, proposed, { caller, tx, dryRun });
    const labelled = row ?? saved ?? {};
    changed.push({
      proposed,
      object: String(labelled.id ?? ''),
      name: String(labelled[engine.resource.labelField] ?? ''),
      before,
      after: saved && valuesOf(engine.resource, saved),
    });
  }
  return changed;
}

/** Computes the access that users gain and lose by each change, as the proposer may see it. */
export async function consequencesOf(
  changes: readonly StoredChange[],
  { db, engines, caller }: { db: Db; engines: Engines; caller: Caller },
): Promise<(readonly AccessChange[])[]> {
  const consequences = createConsequences(db, engines);
  const all: (readonly AccessChange[])[] = [];
  for (const { proposed, after } of changes) {
    const target = TARGETS[proposed.resource];
    // No permission names a new group.
    const isNew = proposed.action === 'create' || proposed.action === 'restore';
    const isGroup = proposed.resource === userGroup.name && !isNew;
    if (!target && !isGroup) {
      all.push([]);
      continue;
    }
    const planned = {
      resource: proposed.resource,
      selection: { ids: proposed.object && !isNew ? [proposed.object] : [], spm: '' },
      target: '',
    };
    const saved =
      after &&
      (target
        ? termsOf(resourceOf(proposed), target, after, caller)
        : { users: (after.users ?? []) as readonly string[] });
    const { access } = await consequences(
      saved
        ? { ...planned, action: 'save', ...saved }
        : { ...planned, action: 'delete', users: [] },
      caller,
    );
    all.push(access);
  }
  return all;
}

/** Reads the terms of a permission from its row in wire form. */
function termsOf(resource: Resource, target: string, row: Values, { zone }: Caller) {
  const { values } = parseBody(resource.fields, row, 'change', { zone });
  const ids = (name: string) => (Array.isArray(values[name]) ? values[name].map(String) : []);
  const date = (name: string, otherwise: Date) =>
    values[name] instanceof Date ? values[name] : otherwise;
  return {
    users: ids('users'),
    terms: {
      user_groups: ids('user_groups'),
      assets: ids(target),
      nodes: ids('nodes'),
      system_users: ids('system_users'),
      actions: 'actions' in resource.fields ? ids('actions') : ['all'],
      is_read_only: values.is_read_only === true,
      is_active: values.is_active === true,
      date_start: date('date_start', databaseClock.date()),
      date_expired: date('date_expired', withoutEnd()),
    },
  };
}
