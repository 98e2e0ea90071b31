import { maskOfFlags, parseField, type Resource } from '@sallyport/contract';
import type { StoredRow } from '../../resources/hooks.ts';

/** Maximum characters of a value in a message. */
const SHOWN = 60;

/** A field whose wanted value differs from the present one. */
export interface Difference {
  readonly field: string;
  readonly value: unknown;
  readonly text: string;
}

/** Returns a value in the form in which the engine stores it; lists are sorted. */
function normalized(resource: Resource, name: string, value: unknown): unknown {
  const field = resource.fields[name];
  const parsed = field ? parseField(field, value) : { value };
  const stored = 'problem' in parsed ? value : parsed.value;
  // A row lists all names whose bits are set.
  if (field?.kind === 'flags' && Array.isArray(stored)) return maskOfFlags(field.choices, stored);
  // The API writes seconds.
  if (stored instanceof Date) return Math.floor(stored.getTime() / 1_000);
  return Array.isArray(stored) ? stored.map(String).toSorted() : (stored ?? '');
}

const inText = (value: unknown) => {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text || 'none';
};

function inWords(field: string, before: unknown, after: unknown, isLinks: boolean): string {
  if (!isLinks || !Array.isArray(before) || !Array.isArray(after))
    return `${field}: ${inText(before)} → ${inText(after)}`;
  const added = after.filter((id) => !before.includes(id)).length;
  const removed = before.filter((id) => !after.includes(id)).length;
  return `${field}: ${added} added, ${removed} removed`;
}

/** Compares wanted fields with a row in wire form. */
export function differences(
  resource: Resource,
  wanted: Readonly<Record<string, unknown>>,
  row: StoredRow,
): Difference[] {
  return Object.entries(wanted).flatMap(([field, value]) => {
    const [before, after] = [row[field], value].map((one) => normalized(resource, field, one));
    if (JSON.stringify(before) === JSON.stringify(after)) return [];
    const kind = resource.fields[field]?.kind;
    const isLinks = kind === 'many' || kind === 'reference';
    const text = kind === 'datetime' ? `${field}: ${inText(row[field])} → ${inText(value)}` : '';
    return [{ field, value, text: text || inWords(field, before, after, isLinks) }];
  });
}
