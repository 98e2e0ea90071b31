import { AFTER_SAVE_DELAY, type Field, type Fields } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError, PROPOSED } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import {
  bodyOf,
  type FormErrors,
  type FormValues,
  isDirty,
  pathsOf,
  problemsOf,
  splitErrors,
  startingValues,
} from './form-state.ts';
import { labelOf } from './labels.ts';
import type { FieldOverrides, FormGroup } from './spec.ts';
import { checkedOnBlur, widgetOf } from './widgets.ts';
import { words } from './words.ts';

export interface FormOptions {
  readonly groups: readonly FormGroup[];
  readonly overrides?: FieldOverrides;
  readonly initial?: FormValues;
  /** Cache key of the edited object. */
  readonly cacheKey: readonly unknown[];
  /** Reads the edited object; undefined to create one. */
  readonly load?: (signal: AbortSignal) => Promise<FormValues>;
  /** Reads the object that a new one copies, and the values to copy. */
  readonly copy?: {
    readonly load: (signal: AbortSignal) => Promise<FormValues>;
    readonly values: (object: FormValues) => FormValues;
  };
  readonly save: (body: Record<string, unknown>, values: FormValues) => Promise<unknown>;
  /** Runs before saving. False cancels; values replace the values to save. May reject fields. */
  readonly agree?: (values: FormValues, updating: boolean) => Promise<boolean | FormValues>;
  readonly onSaved: (saved: unknown) => void | Promise<void>;
  /** Announces a created object when the form closes; defaults to the usual message. */
  readonly announce?: (saved: unknown) => void;
  /** True if the caller may not save. */
  readonly forbidden?: boolean;
  /** Reason for showing the values only. */
  readonly readOnly?: string | undefined;
}

export interface FormModel {
  readonly state: 'loading' | 'ready' | 'failed' | 'forbidden';
  /** Reason for refusing every change. */
  readonly readOnly: string | undefined;
  /** True if the server describes other fields than this console knows. */
  readonly isOutdated?: boolean;
  readonly loadError: Error | null;
  readonly fields: Fields;
  /** The stored object; empty for a new one. */
  readonly object: FormValues;
  /** The object that a new one copies. */
  readonly copied: FormValues | undefined;
  /** The values before the first edit. */
  readonly start: FormValues;
  readonly values: FormValues;
  readonly errors: FormErrors;
  /** Problems of no field on the page. */
  readonly otherErrors: readonly string[];
  readonly dirty: boolean;
  /** Number of submissions rejected because of a field. */
  readonly rejections: number;
  readonly saving: boolean;
  readonly updating: boolean;
  readonly set: (name: string, value: unknown) => void;
  readonly leave: (path: string) => void;
  readonly isHidden: (name: string) => boolean;
  /** True for a field that decides only which other fields are visible. */
  readonly isControl: (name: string) => boolean;
  readonly isRequired: (name: string) => boolean;
  readonly reset: () => void;
  /** Saves and leaves the form. With `another` the form stays open and is reset. */
  readonly submit: (how?: { readonly another?: boolean }) => Promise<void>;
  readonly retry: () => void;
}

/** Returns the declared fields with the labels of the page, and the fields of the page alone. */
const drawnFields = (declared: Fields, overrides: FieldOverrides): Fields => ({
  ...declared,
  ...Object.fromEntries(
    Object.entries(overrides).flatMap(([name, { clientOnly, label }]): [string, Field][] => {
      const field = clientOnly ?? declared[name];
      return field ? [[name, label ? { ...field, label } : field]] : [];
    }),
  ),
});

/** Returns the rules of the fields with these values: visible, required, valid. */
function rulesOf(fields: Fields, overrides: FieldOverrides, values: FormValues, updating: boolean) {
  const isHidden = (name: string) => overrides[name]?.hidden?.(values, updating) ?? false;
  const isRequired = (name: string) => overrides[name]?.required ?? fields[name]?.required ?? false;
  const check = (name: string, value: unknown): FormErrors =>
    isHidden(name)
      ? {}
      : problemsOf(
          name,
          overrides[name]?.mustBeOn && value !== true ? '' : value,
          isRequired(name),
          fields[name],
        );
  const checkAll = (names: readonly string[]): FormErrors =>
    Object.assign({}, ...names.map((name) => check(name, values[name])));
  return { isHidden, isRequired, check, checkAll };
}

const firstInvalid = (names: readonly string[], problems: FormErrors) =>
  names.find((name) =>
    Object.keys(problems).some((path) => path === name || path.startsWith(`${name}.`)),
  );

/** Holds the problems of a form. */
function useProblems() {
  const [errors, setErrors] = useState<FormErrors>({});
  const [otherErrors, setOtherErrors] = useState<readonly string[]>([]);
  const [rejections, setRejections] = useState(0);
  return {
    errors,
    otherErrors,
    rejections,
    countRejection: () => setRejections((before) => before + 1),
    replace(problems: FormErrors, others: readonly string[] = []) {
      setErrors(problems);
      setOtherErrors(others);
    },
    /** Replaces the problems of the matching paths. */
    note(concerned: (path: string) => boolean, problems: FormErrors) {
      setErrors((old) => {
        const kept = Object.entries(old).filter(([path]) => !concerned(path));
        return Object.fromEntries([
          ...kept,
          ...Object.entries(problems).filter(([path]) => concerned(path)),
        ]);
      });
    },
  };
}

/** Saves the values of a form and leaves it. */
function useSave(declared: Fields, options: FormOptions) {
  const updating = options.load !== undefined;
  const [saving, setSaving] = useState(false);
  const [saved, setSaved] = useState(false);

  /** Returns the error of a rejected request. `stay` resets the form instead of leaving it. */
  async function save(values: FormValues, stay?: () => void): Promise<ApiError | undefined> {
    setSaving(true);
    try {
      const agreed = (await options.agree?.(values, updating)) ?? true;
      if (agreed === false) {
        setSaving(false);
        return undefined;
      }
      const sent = agreed === true ? values : agreed;
      const answer = await options.save(bodyOf(sent, declared), sent);
      setSaved(!stay);
      if (options.announce && !updating && !stay) options.announce(answer);
      else toast.success(t(updating ? common.updateSuccess : common.createSuccess));
      if (stay) {
        stay();
        setSaving(false);
      } else setTimeout(() => void options.onSaved(answer), AFTER_SAVE_DELAY);
      return undefined;
    } catch (error) {
      setSaving(false);
      if (!(error instanceof ApiError)) throw error;
      return error;
    }
  }
  return { saving, saved, save };
}

/** Returns the state of a form whose object is being read. */
function stateOf(options: FormOptions, object: { readonly isError: boolean }, ready: boolean) {
  if (options.forbidden) return 'forbidden';
  if (object.isError) return 'failed';
  return ready ? 'ready' : 'loading';
}

/**
 * Holds the state of a form: starting values, problems, the request body and server errors. Draws
 * nothing.
 */
export function useForm(declared: Fields, options: FormOptions): FormModel {
  const { groups, overrides = {}, initial = {}, load, copy } = options;
  const updating = load !== undefined;
  const read = load ?? copy?.load;
  const object = useQuery({
    queryKey: [...options.cacheKey, 'form'],
    queryFn: ({ signal }) => read?.(signal) ?? {},
    enabled: read !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const names = groups.flatMap((group) => group.fields);
  const fields = drawnFields(declared, overrides);
  const ready = read === undefined || object.isSuccess;
  const copied = copy && object.data ? copy.values(object.data) : {};

  // `undefined` until the first edit; until then the values follow the server.
  const [edited, setEdited] = useState<FormValues>();
  const touched = useRef(new Set<string>());
  const problems = useProblems();
  const { errors, note } = problems;
  const { saving, saved, save } = useSave(declared, options);

  const start = ready
    ? startingValues(names, fields, updating ? object.data : undefined, { ...initial, ...copied })
    : {};
  const values = edited ?? start;
  const { isHidden, isRequired, check, checkAll } = rulesOf(fields, overrides, values, updating);

  function set(name: string, value: unknown) {
    touched.current.add(name);
    setEdited((old) => ({ ...(old ?? start), [name]: value }));
    const field = fields[name];
    const invalid = check(name, value);
    // Inside an object, recheck only members with a known problem.
    if (field?.kind === 'object')
      note((path) => path.startsWith(`${name}.`) && path in errors, invalid);
    else note((path) => path === name, field && checkedOnBlur(widgetOf(field)) ? {} : invalid);
  }

  function leave(path: string) {
    const name = fields[path] ? path : (path.split('.')[0] ?? path);
    const value = values[name];
    const field = fields[name];
    if (!field || !checkedOnBlur(widgetOf(field))) return;
    // Do not report an untouched field as empty: the layout would shift under the pointer that
    // leaves it.
    if (path === name && !touched.current.has(name) && !errors[path]) return;
    const trimmed = typeof value === 'string' && field.kind !== 'secret' ? value.trim() : value;
    if (trimmed !== value) setEdited((old) => ({ ...(old ?? start), [name]: trimmed }));
    note((one) => one === path, check(name, trimmed));
  }

  function reset() {
    touched.current.clear();
    setEdited(undefined);
    problems.replace({});
  }

  async function submit({ another = false }: { readonly another?: boolean } = {}) {
    if (options.readOnly !== undefined) return;
    const invalid = checkAll(names);
    problems.replace(invalid);
    const first = firstInvalid(names, invalid);
    const wrong = first === undefined ? undefined : fields[first];
    if (wrong) {
      const count = Object.keys(invalid).length;
      toast.error(t(words.wrongFields, { count, first: labelOf(wrong) }));
      problems.countRejection();
      return;
    }
    const error = await save(values, another ? reset : undefined);
    if (!error) return;
    // The form shows the stored values again, which have not changed.
    if (error.code === PROPOSED) {
      reset();
      return;
    }
    const drawn = names.filter((name) => !isHidden(name));
    const { under, rest } = splitErrors(error.fields ?? {}, pathsOf(drawn, fields));
    problems.replace(under, rest);
    problems.countRejection();
  }

  return {
    state: stateOf(options, object, ready),
    readOnly: options.readOnly,
    loadError: object.error,
    fields,
    object: (updating && object.data) || {},
    copied: copy && object.data,
    start,
    values,
    errors,
    otherErrors: problems.otherErrors,
    dirty: !saved && edited !== undefined && isDirty(edited, start),
    rejections: problems.rejections,
    saving,
    updating,
    set,
    leave,
    isHidden,
    isControl: (name) => overrides[name]?.isControl ?? false,
    isRequired,
    reset,
    submit,
    retry: () => void object.refetch(),
  };
}
