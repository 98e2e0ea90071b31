import type { Field } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, type FieldMessages, PROPOSED } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import {
  bodyOf,
  type FormErrors,
  type FormValues,
  problemOf,
  startingValues,
} from '../form/form-state.ts';
import { cacheKey, listUrl, nameIn, type Source } from '../source.ts';

interface NamedRow {
  readonly id: string;
  readonly name: string;
}

interface BulkErrors {
  /** Errors by field of the dialog. */
  readonly under: FormErrors;
  /** Errors of no field in the dialog. The dialog must show them. */
  readonly rest: readonly string[];
}

/**
 * Assigns the errors of a rejected bulk update to the fields of the dialog. The server reports
 * errors per row: an error of all rows appears once, other errors carry the names of their rows.
 */
export function bulkErrors(
  items: readonly FieldMessages[],
  rows: readonly NamedRow[],
  drawn: readonly string[],
): BulkErrors {
  const concerned = new Map<string, Map<string, string[]>>();
  for (const [index, messages] of items.entries()) {
    for (const [field, sentences] of Object.entries(messages)) {
      if (sentences.length === 0) continue;
      const namesBySentence = concerned.get(field) ?? new Map<string, string[]>();
      concerned.set(field, namesBySentence);
      const sentence = sentences.join('; ');
      namesBySentence.set(sentence, [
        ...(namesBySentence.get(sentence) ?? []),
        rows[index]?.name ?? String(index + 1),
      ]);
    }
  }
  const under: Record<string, string> = {};
  const rest: string[] = [];
  for (const [field, namesBySentence] of concerned) {
    const text = [...namesBySentence]
      .map(([sentence, names]) =>
        names.length === rows.length ? sentence : `${names.join(', ')}: ${sentence}`,
      )
      .join('; ');
    if (drawn.includes(field)) under[field] = text;
    else rest.push(field === 'non_field_errors' ? text : `${field}: ${text}`);
  }
  return { under, rest };
}

/**
 * Builds the body of a bulk update: the id of each row with the ticked fields only (conformance
 * 5.20).
 */
export function bulkBody(
  rows: readonly Pick<NamedRow, 'id'>[],
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown>[] {
  return rows.map(({ id }) => ({ ...changes, id }));
}

/** The fields of a list that users can change on many rows at once. */
export interface BulkUpdateSpec {
  readonly fields: readonly string[];
  /** Initial values; defaults to the defaults of the fields. */
  readonly initial?: () => FormValues;
  /** Changes objects that the list does not hold. By default one request changes the rows. */
  readonly send?: (changes: Readonly<Record<string, unknown>>) => Promise<void>;
}

/**
 * Holds the state of a bulk update: ticked fields, their values, the request body and the errors.
 * Draws nothing.
 */
export function useBulkUpdate(
  source: Source,
  spec: BulkUpdateSpec,
  rows: readonly { readonly id: string }[],
  onDone: () => void,
) {
  const client = useQueryClient();
  const known = source.fields;
  const fields = spec.fields.flatMap((name): { name: string; field: Field }[] => {
    const field = known[name];
    return field && field.mode !== 'readonly' ? [{ name, field }] : [];
  });
  const [start] = useState(() => spec.initial?.() ?? {});
  const [edited, setEdited] = useState<FormValues>({});
  // A field keeps its value when the user removes its tick and sets it again.
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [errors, setErrors] = useState<FormErrors>({});
  const [otherErrors, setOtherErrors] = useState<readonly string[]>([]);
  const [saving, setSaving] = useState(false);
  const values = { ...startingValues(spec.fields, known, undefined, start), ...edited };
  const check = (name: string, value: unknown) =>
    problemOf(value, known[name]?.required ?? false, known[name]);

  function note(name: string, problem: string | undefined) {
    setErrors(({ [name]: _old, ...others }) => (problem ? { ...others, [name]: problem } : others));
  }

  async function submit() {
    const names = [...ticked];
    const problems = Object.fromEntries(
      names.flatMap((name) =>
        [check(name, values[name])].flatMap((problem) =>
          problem ? [[name, problem] as const] : [],
        ),
      ),
    );
    setErrors(problems);
    setOtherErrors([]);
    if (Object.keys(problems).length > 0) return;
    const changes = bodyOf(Object.fromEntries(names.map((name) => [name, values[name]])), known);
    setSaving(true);
    try {
      if (spec.send) {
        await spec.send(changes);
        return onDone();
      }
      await api.patch(listUrl(source), bulkBody(rows, changes));
      await client.invalidateQueries({ queryKey: cacheKey(source) });
      toast.success(t(common.updateSuccess));
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === PROPOSED) return onDone();
      const namedRows = rows.map((row) => ({ id: row.id, name: nameIn(source, row) }));
      const { under, rest } = bulkErrors(
        error.items ?? (error.fields ? [error.fields] : []),
        namedRows,
        names,
      );
      setErrors(under);
      setOtherErrors(rest);
    } finally {
      setSaving(false);
    }
  }

  return {
    fields,
    values,
    errors,
    otherErrors,
    saving,
    ticked,
    tick: (name: string, on: boolean) => {
      const next = new Set(ticked);
      if (on) next.add(name);
      else next.delete(name);
      setTicked(next);
      if (!on) note(name, undefined);
    },
    set: (name: string, value: unknown) => {
      setEdited((old) => ({ ...old, [name]: value }));
      note(name, undefined);
    },
    leave: (name: string) => note(name, check(name, values[name])),
    submit,
  };
}
