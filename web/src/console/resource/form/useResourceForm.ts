import { allows } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { useSession } from '../../base/session.tsx';
import { cacheKey, listUrl, objectUrl, type Source } from '../source.ts';
import { copiedValues } from './copied.ts';
import type { FormValues } from './form-state.ts';
import { type FormModel, type FormOptions, useForm } from './useForm.ts';
import { useOutdated } from './useOutdated.ts';

interface ResourceFormOptions
  extends Pick<FormOptions, 'groups' | 'overrides' | 'initial' | 'agree' | 'onSaved' | 'announce'> {
  /** The id of the object that a new one copies. */
  readonly like?: string | undefined;
  readonly toBody?: (body: Record<string, unknown>, values: FormValues) => Record<string, unknown>;
}

/**
 * The form of an object of a resource; an empty id creates one. The server enforces permissions;
 * the declaration only hides the form earlier.
 */
export function useResourceForm(
  source: Source,
  id: string,
  { toBody, like, ...options }: ResourceFormOptions,
): FormModel {
  const client = useQueryClient();
  const { role } = useSession();
  const needed = id ? source.access?.update : source.access?.create;
  const url = id ? objectUrl(source, id) : listUrl(source);
  const form = useForm(source.fields, {
    ...options,
    cacheKey: [...cacheKey(source), url, like ?? ''],
    forbidden: needed === undefined || !allows(role.permissions, needed),
    ...(id && { load: (signal: AbortSignal) => api.get<FormValues>(url, { signal }) }),
    ...(!id &&
      like && {
        copy: {
          load: (signal: AbortSignal) => api.get<FormValues>(objectUrl(source, like), { signal }),
          values: (object: FormValues) => copiedValues(source, object),
        },
      }),
    save: async (plain, values) => {
      const body = toBody?.(plain, values) ?? plain;
      const saved = await (id ? api.put(url, body) : api.post(url, body));
      await client.invalidateQueries({ queryKey: cacheKey(source) });
      return saved;
    },
  });
  return { ...form, isOutdated: useOutdated(source, form.state === 'ready') };
}
