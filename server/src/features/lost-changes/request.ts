import {
  type Field,
  type LocalText,
  type LostRequest,
  RESOURCES,
  type Resource,
  SETTING_CATEGORIES,
} from '@sallyport/contract';
import type { KeptChange } from '../audits/index.ts';

type Logged = Pick<KeptChange, 'action' | 'resourceType' | 'resourceId' | 'changes'>;
type Pair = readonly [unknown, unknown];

/** Replaces secrets in the operate log. */
const isMask = (value: unknown): boolean => typeof value === 'string' && /^\*{6}$/.test(value);
/** The log has only the first objects of a long list. */
const isShortened = (value: unknown): boolean =>
  Array.isArray(value) && typeof value.at(-1) === 'string' && /^… \d+$/.test(String(value.at(-1)));

interface Again {
  readonly body: Readonly<Record<string, unknown>>;
  readonly without: readonly LocalText[];
}

/** Returns the values after a change; undefined if the log has too little of them. */
function valuesAfter(
  fields: Readonly<Record<string, Field>>,
  changes: Logged['changes'],
): Again | undefined {
  const body: Record<string, unknown> = {};
  const without: LocalText[] = [];
  for (const [name, pair] of Object.entries(changes ?? {})) {
    const field = fields[name];
    if (!field || !isPair(pair) || isShortened(pair[1])) return undefined;
    if (field.kind === 'secret' || isMask(pair[1])) without.push(field.label);
    else if (field.mode !== 'readonly') body[name] = pair[1];
  }
  return { body, without };
}

const isPair = (value: unknown): value is Pair => Array.isArray(value) && value.length === 2;

/** A request before its labels are in the language of the reader. */
export type PlannedRequest = Omit<LostRequest, 'without'> & Pick<Again, 'without'>;

/**
 * Returns the request that makes a change of the log again; undefined if the log has too little
 * for one, or if the change was no write of an object.
 */
export function requestFor(change: Logged): PlannedRequest | undefined {
  if (change.resourceType === 'setting') return settingRequest(change);
  const resource = RESOURCES.find(({ name }) => name === change.resourceType);
  // The log does not name the object above.
  if (!resource || resource.parent) return undefined;
  return objectRequest(resource, change);
}

function objectRequest(
  { path, access, fields }: Resource,
  { action, resourceId, changes }: Logged,
): PlannedRequest | undefined {
  const object = `${path}/${encodeURIComponent(resourceId)}/`;
  if (action === 'delete')
    return access.delete === undefined || resourceId === ''
      ? undefined
      : { method: 'DELETE', path: object, body: null, without: [] };
  const again = valuesAfter(fields, changes);
  if (!again || Object.keys(again.body).length === 0) return undefined;
  if (action === 'create')
    return access.create === undefined ? undefined : { method: 'POST', path: `${path}/`, ...again };
  return action !== 'update' || access.update === undefined || resourceId === ''
    ? undefined
    : { method: 'PATCH', path: object, ...again };
}

function settingRequest({ changes }: Logged): PlannedRequest | undefined {
  const categories: Record<string, Record<string, unknown>> = {};
  const without: LocalText[] = [];
  for (const [name, pair] of Object.entries(changes ?? {})) {
    const category = Object.entries(SETTING_CATEGORIES).find(([, { fields }]) =>
      Object.hasOwn(fields, name),
    );
    if (!category) return undefined;
    const again = valuesAfter(category[1].fields, { [name]: pair });
    if (!again) return undefined;
    without.push(...again.without);
    categories[category[0]] = { ...categories[category[0]], ...again.body };
  }
  const isEmpty = Object.values(categories).every((body) => Object.keys(body).length === 0);
  return isEmpty
    ? undefined
    : { method: 'PUT', path: 'settings/setting/', body: categories, without };
}
