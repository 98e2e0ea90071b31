import { AFTER_SAVE_DELAY, type FieldMetadata } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { toast } from '../../../kit/toast.tsx';
import { cacheKey, listUrl, objectUrl, type Source } from '../source.ts';
import { fieldsOf, useMetadata } from '../useMetadata.ts';
import { bodyOf, type FormErrors, type FormValues, formDataOf, isDirty, pathsOf, problemsOf, splitErrors, startingValues } from './form-state.ts';
import type { FieldOverrides, FormGroup } from './spec.ts';
import { checkedOnBlur, widgetOf } from './widgets.ts';

export interface ResourceFormOptions {
  readonly source: Source;
  /** Empty: a new object. */
  readonly id: string;
  readonly groups: readonly FormGroup[];
  readonly overrides?: FieldOverrides;
  readonly initial?: FormValues;
  readonly toBody?: (body: Record<string, unknown>, values: FormValues) => Record<string, unknown>;
  /** The address of the form, where it is not the resource's own; its fields, where it has no metadata; and what saves it. */
  readonly url?: string;
  readonly fields?: Readonly<Record<string, FieldMetadata>>;
  readonly save?: (body: Record<string, unknown>) => Promise<unknown>;
  /** What reads the object, where its address answers more than it. */
  readonly load?: (signal: AbortSignal) => Promise<FormValues>;
  readonly onSaved: (saved: unknown) => void;
}

export interface ResourceFormModel {
  readonly state: 'loading' | 'ready' | 'failed' | 'forbidden';
  readonly loadError: Error | null;
  readonly metadata: Readonly<Record<string, FieldMetadata>>;
  readonly values: FormValues;
  readonly errors: FormErrors;
  /** Problems that belong to no field on the page. */
  readonly otherErrors: readonly string[];
  readonly dirty: boolean;
  readonly saving: boolean;
  readonly updating: boolean;
  readonly set: (name: string, value: unknown) => void;
  readonly leave: (path: string) => void;
  readonly isHidden: (name: string) => boolean;
  readonly isRequired: (name: string) => boolean;
  readonly reset: () => void;
  /** Saves; `another` stays on the form, empty again, instead of leaving it. */
  readonly submit: (how?: { readonly another?: boolean }) => Promise<void>;
  readonly retry: () => void;
}

/** Decides all that a form does: where its fields and values come from, what is missing, what is sent, what the server refused. Draws nothing. */
export function useResourceForm(options: ResourceFormOptions): ResourceFormModel {
  const { source, id, groups, overrides = {}, initial = {} } = options;
  const updating = id !== '';
  const url = options.url ?? (updating ? objectUrl(source, id) : listUrl(source));
  const client = useQueryClient();
  const metadata = useMetadata(url, options.fields === undefined);
  const object = useQuery({
    queryKey: [...cacheKey(source), 'form', url],
    queryFn: ({ signal }) => options.load?.(signal) ?? api.get<FormValues>(url, { signal }),
    enabled: updating,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

  const names = groups.flatMap((group) => group.fields);
  const known = options.fields ?? fieldsOf(metadata.data, updating ? 'PUT' : 'POST');
  const clientOnly = Object.fromEntries(Object.entries(overrides).flatMap(([name, { clientOnly: field }]) => (field ? [[name, field] as const] : [])));
  const fields = { ...known, ...clientOnly };
  const ready = (options.fields !== undefined || metadata.isSuccess) && (!updating || object.isSuccess);

  // `undefined` until the person touches something: until then the values follow what the server says.
  const [edited, setEdited] = useState<FormValues>();
  const [errors, setErrors] = useState<FormErrors>({});
  const [otherErrors, setOtherErrors] = useState<readonly string[]>([]);
  const [saving, setSaving] = useState(false);
  const [saved, setSaved] = useState(false);

  const start = ready ? startingValues(names, fields, object.data, initial) : {};
  const values = edited ?? start;
  const isHidden = (name: string) => overrides[name]?.hidden?.(values, updating) ?? false;
  const isRequired = (name: string) => overrides[name]?.required ?? fields[name]?.required ?? false;
  const check = (name: string, value: unknown): FormErrors => {
    if (isHidden(name)) return {};
    return problemsOf(name, overrides[name]?.mustBeOn && value !== true ? '' : value, isRequired(name), fields[name]);
  };

  /** Puts new problems in the place of the old ones of some paths. */
  function note(concerned: (path: string) => boolean, problems: FormErrors) {
    setErrors((old) => {
      const kept = Object.entries(old).filter(([path]) => !concerned(path));
      return Object.fromEntries([...kept, ...Object.entries(problems).filter(([path]) => concerned(path))]);
    });
  }

  function set(name: string, value: unknown) {
    setEdited((old) => ({ ...(old ?? start), [name]: value }));
    const field = fields[name];
    const problems = check(name, value);
    // Inside of a group only what was told already is looked at again.
    if (field?.children) note((path) => path.startsWith(`${name}.`) && path in errors, problems);
    else note((path) => path === name, field && checkedOnBlur(widgetOf(name, field)) ? {} : problems);
  }

  /** `path` is a field, or a field inside of a group. */
  function leave(path: string) {
    const name = fields[path] ? path : (path.split('.')[0] ?? path);
    const value = values[name];
    const field = fields[name];
    if (!field || !checkedOnBlur(widgetOf(name, field))) return;
    const trimmed = typeof value === 'string' && !field.write_only ? value.trim() : value;
    if (trimmed !== value) setEdited((old) => ({ ...(old ?? start), [name]: trimmed }));
    note((one) => one === path, check(name, trimmed));
  }

  function reset() {
    setEdited(undefined);
    setErrors({});
    setOtherErrors([]);
  }

  async function submit({ another = false }: { readonly another?: boolean } = {}) {
    const problems: FormErrors = Object.assign({}, ...names.map((name) => check(name, values[name])));
    setErrors(problems);
    setOtherErrors([]);
    if (Object.keys(problems).length > 0) return;
    const plain = bodyOf(values, known);
    const body = options.toBody?.(plain, values) ?? plain;
    const files = formDataOf(body);
    setSaving(true);
    try {
      const method = updating ? 'PUT' : 'POST';
      const answer = await (options.save?.(body) ?? (files ? api.send(method, url, { content: files }) : updating ? api.put(url, body) : api.post(url, body)));
      setSaved(!another);
      await client.invalidateQueries({ queryKey: cacheKey(source) });
      toast.success(t(updating ? common.updateSuccess : common.createSuccess));
      if (another) {
        reset();
        setSaving(false);
      } else setTimeout(() => options.onSaved(answer), AFTER_SAVE_DELAY);
    } catch (error) {
      setSaving(false);
      if (!(error instanceof ApiError)) throw error;
      const drawn = names.filter((name) => !isHidden(name));
      const { under, rest } = splitErrors(error.fields ?? {}, pathsOf(drawn, fields));
      setErrors(under);
      setOtherErrors(rest);
    }
  }

  return {
    state: metadata.isError || object.isError ? 'failed' : !ready ? 'loading' : Object.keys(known).length === 0 ? 'forbidden' : 'ready',
    loadError: metadata.error ?? object.error,
    metadata: fields,
    values,
    errors,
    otherErrors,
    dirty: !saved && edited !== undefined && isDirty(edited, start),
    saving,
    updating,
    set,
    leave,
    isHidden,
    isRequired,
    reset,
    submit,
    retry: () => {
      void metadata.refetch();
      if (updating) void object.refetch();
    },
  };
}
