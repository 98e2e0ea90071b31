import {
  deletedObject,
  type NamedSet,
  type Resource,
  type RestoredObject,
} from '@sallyport/contract';
import { ApiError, api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { nameSet, objectUrl, type Source } from '../source.ts';
import { words } from './words.ts';

/** Names of the unique fields with which a deleted object is restored. */
export type OtherNames = Readonly<Record<string, string>>;

/**
 * Restores a deleted object, and tells the user of links that did not come back. The error of a
 * taken name has the fields to replace.
 */
export async function restoreOne(
  id: string,
  { values = {}, quiet = false }: { readonly values?: OtherNames; readonly quiet?: boolean } = {},
): Promise<void> {
  const { name, missing } = await api.post<RestoredObject>(
    `${objectUrl(deletedObject, id)}restore/`,
    { values },
    { quiet },
  );
  if (missing.length > 0)
    toast.info(t(words.restoredWithout, { name, missing: missing.join(' · ') }));
}

/** Starts a job that restores all objects of a set. */
export async function restoreSet(spm: string, count: number): Promise<void> {
  await api.post('common/resources/bulk/', {
    resource: deletedObject.name,
    action: 'restore',
    spm,
  });
  toast.success(t(words.restoring, { count }));
}

/** Starts a job that restores all objects that another job deleted. */
export async function restoreBatch(job: string): Promise<void> {
  const { spm, count } = await api.post<NamedSet>('common/resources/matching/', {
    resource: deletedObject.name,
    query: `batch=${encodeURIComponent(job)}`,
  });
  await restoreSet(spm, count);
}

/** Restores deleted objects: one at once, more by a job. */
export async function restoreAll(ids: readonly string[]): Promise<void> {
  const [only] = ids;
  if (only !== undefined && ids.length === 1) await restoreOne(only);
  else await restoreSet(await nameSet(ids), ids.length);
}

/** Returns the unique fields that a rejected restoration names: those of taken names. */
export function takenNames(
  error: unknown,
  { fields }: Pick<Resource, 'fields'>,
): readonly string[] {
  if (!(error instanceof ApiError)) return [];
  return Object.keys(error.fields ?? {}).filter((name) => {
    const field = fields[name];
    return field?.kind === 'text' && field.unique !== undefined;
  });
}

/** Returns true if the server keeps a deleted object for the user. */
async function isKept(id: string): Promise<boolean> {
  try {
    await api.get(objectUrl(deletedObject, id), { query: { fields: 'id' }, quiet: true });
    return true;
  } catch {
    return false;
  }
}

/**
 * Reports deleted objects, with an undo button if the server keeps them. Objects that only left the
 * organization, such as its members, are not kept.
 */
export async function reportDeleted(
  source: Pick<Source, 'restorable'>,
  ids: readonly string[],
  { message, restored }: { readonly message: string; readonly restored: () => Promise<unknown> },
): Promise<void> {
  const [first] = ids;
  if (!source.restorable || first === undefined || !(await isKept(first))) toast.success(message);
  else
    toast.undo(message, async () => {
      await restoreAll(ids);
      await restored();
    });
}
