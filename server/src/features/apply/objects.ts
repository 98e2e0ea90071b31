import {
  type AccessChange,
  asset,
  assetPermission,
  type Consequence,
  commandFilter,
  type FieldProblems,
  isUuid,
  node,
  type Problem,
  type Resource,
  user,
  userGroup,
} from '@sallyport/contract';
import type { StoredRow } from '../../resources/hooks.ts';
import { isNamed } from '../../resources/relations/names.ts';
import type { Draft } from '../../resources/write/plan.ts';
import type { Planned } from '../perms/index.ts';

/** Kinds of objects in a file in the order of their writes, with the field that names an object. */
export const KINDS = [
  { resource: node, key: 'path' },
  { resource: user, key: 'username' },
  { resource: userGroup, key: 'name' },
  { resource: asset, key: 'hostname' },
  { resource: assetPermission, key: 'name' },
  { resource: commandFilter, key: 'name' },
] as const satisfies readonly { readonly resource: Resource; readonly key: string }[];

/** An object of a file: its wanted fields as in the API, with names instead of ids. */
export interface FileObject {
  readonly kind: string;
  readonly state: 'present' | 'absent';
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The value of a field as a text, or a list of texts. */
export type ShownValue = string | readonly string[] | null;

export interface FieldChange {
  readonly field: string;
  /** Null for a new object. Lists contain names. */
  readonly before: ShownValue;
  readonly after: ShownValue;
}

/** The result of one object of a file. */
export interface AppliedObject {
  readonly kind: string;
  readonly name: string;
  readonly action: 'create' | 'update' | 'delete' | 'unchanged';
  readonly changes: readonly FieldChange[];
  readonly consequences: readonly Consequence[];
  readonly access: readonly AccessChange[];
}

/** POST common/resources/apply/: the plan, or with `applied` what was done. */
export interface Applied {
  readonly applied: boolean;
  readonly objects: readonly AppliedObject[];
}

/** Fields of a file that the resource does not declare. */
const EXTRA: Readonly<Record<string, string>> = { node: 'path', command_filter: 'rules' };

/**
 * Returns the problems of a file's fields that the engine would ignore or accept: unknown fields,
 * and secrets, which do not belong in a file.
 */
export function fieldProblems(
  { name, fields: declared }: Resource,
  fields: FileObject['fields'],
): FieldProblems {
  // The file chooses the names, so `__proto__` must be safe.
  const problems: Record<string, Problem[]> = Object.create(null);
  for (const field of Object.keys(fields)) {
    const known = Object.hasOwn(declared, field) ? declared[field] : undefined;
    if (known?.kind === 'secret') problems[field] = [{ code: 'secret_in_file' }];
    else if ((!known || known.mode === 'readonly') && EXTRA[name] !== field)
      problems[field] = [{ code: 'unknown_field' }];
  }
  return problems;
}

/** Returns the draft of an object: texts of linked objects are names. */
export function draftOf(
  { name, fields: declared }: Resource,
  fields: FileObject['fields'],
  id: string | undefined,
): Draft {
  const names: Record<string, readonly string[]> = {};
  const body: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (field === EXTRA[name]) continue;
    const known = declared[field];
    const texts = [value].flat();
    const isText = texts.every((text): text is string => typeof text === 'string');
    if (known && isNamed(known) && isText && Array.isArray(value) === (known.kind === 'many'))
      names[field] = texts;
    else body[field] = value;
  }
  return id === undefined ? { body, names, mode: 'create' } : { id, body, names, mode: 'change' };
}

const idsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => isUuid(one)) : [];

/**
 * Returns the question about the consequences of a change from one row to another; undefined if the
 * change has none that can be previewed.
 */
export function plannedSave(
  { name: resource }: Resource,
  before: StoredRow | undefined,
  after: StoredRow,
): Planned | undefined {
  const selection = { ids: before ? [String(before.id)] : [], spm: '' };
  const planned = { resource, selection, target: '', users: idsIn(after.users) };
  if (resource === assetPermission.name)
    return {
      ...planned,
      action: 'save',
      terms: {
        user_groups: idsIn(after.user_groups),
        assets: idsIn(after.assets),
        nodes: idsIn(after.nodes),
        system_users: idsIn(after.system_users),
        actions: (after.actions ?? []) as string[],
        is_read_only: false,
        is_active: after.is_active === true,
        date_start: new Date(String(after.date_start)),
        date_expired: new Date(String(after.date_expired)),
      },
    };
  if (!before) return undefined;
  if (resource === userGroup.name) return { ...planned, action: 'save' };
  if (before.is_active !== after.is_active)
    return { ...planned, action: after.is_active ? 'enable' : 'disable' };
  const [target, ...others] = idsIn(after.nodes);
  const isMoved = JSON.stringify(before.nodes) !== JSON.stringify(after.nodes);
  return resource === asset.name && isMoved && target !== undefined && others.length === 0
    ? { ...planned, action: 'move', target }
    : undefined;
}
