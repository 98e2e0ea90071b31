import type { FieldMessages } from '../../../kit/api.ts';
import type { FormErrors } from '../form/form-state.ts';

interface NamedRow {
  readonly id: string;
  readonly name: string;
}

export interface BulkErrors {
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
