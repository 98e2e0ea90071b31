import type { FieldMetadata } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

export type FormValues = Readonly<Record<string, unknown>>;
export type FormErrors = Readonly<Record<string, string>>;

/** Whether nothing is entered. False and 0 are something. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The values a form begins with: those of the object, else the page's, else the field's own default. */
export function startingValues(
  fields: readonly string[],
  metadata: Readonly<Record<string, FieldMetadata>>,
  object: FormValues | undefined,
  initial: FormValues,
): FormValues {
  return Object.fromEntries(
    fields.map((name) => {
      const fallback = metadata[name]?.multiple || metadata[name]?.type === 'list' ? [] : metadata[name]?.type === 'boolean' ? false : '';
      if (object) return [name, object[name] ?? initial[name] ?? fallback];
      return [name, initial[name] ?? metadata[name]?.default ?? fallback];
    }),
  );
}

/** The limits of a field that can be told before the server sees the value. */
type Limits = Pick<FieldMetadata, 'type' | 'min_value' | 'max_value' | 'min_length' | 'max_length'>;

function outsideOf(limits: Limits, value: unknown): string | undefined {
  const { min_value: least, max_value: most, min_length: shortest, max_length: longest } = limits;
  if (limits.type === 'integer') {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) return t(words.notInteger);
    if (least !== undefined && number < least) return t(words.tooSmall, { min: least });
    return most !== undefined && number > most ? t(words.tooLarge, { max: most }) : undefined;
  }
  if (typeof value !== 'string') return undefined;
  const { length } = [...value.trim()];
  if (shortest !== undefined && length < shortest) return t(words.tooShort, { min: shortest });
  return longest !== undefined && length > longest ? t(words.tooLong, { max: longest }) : undefined;
}

/** The problem of one value before the server sees it: that it is missing, or outside of its limits. */
export function problemOf(value: unknown, required: boolean, limits?: Limits): string | undefined {
  if (isBlank(typeof value === 'string' ? value.trim() : value)) return required ? t(common.required) : undefined;
  return limits && outsideOf(limits, value);
}

/** The body of a request: declared fields only; blank secrets and blank numbers stay out, which means "as it is". */
export function bodyOf(values: FormValues, metadata: Readonly<Record<string, FieldMetadata>>): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const field = metadata[name];
    if (!field || field.read_only) continue;
    if (isBlank(value) && (field.write_only || field.type === 'integer')) continue;
    const emptyLink = value === '' && (field.type === 'field' || field.type === 'datetime');
    body[name] = emptyLink ? null : typeof value === 'string' && !field.write_only ? value.trim() : value;
  }
  return body;
}

/** The server's refusal, split: what belongs under a field of this form, and the rest, which must not be lost. */
export function splitErrors(
  fields: Readonly<Record<string, readonly string[]>>,
  drawn: readonly string[],
): { readonly under: FormErrors; readonly rest: readonly string[] } {
  const under: Record<string, string> = {};
  const rest: string[] = [];
  for (const [name, messages] of Object.entries(fields)) {
    const text = messages.join('; ');
    if (drawn.includes(name)) under[name] = text;
    else rest.push(name === 'non_field_errors' ? text : `${name}: ${text}`);
  }
  return { under, rest };
}

/** Whether something differs from what the form began with. */
export function isDirty(values: FormValues, start: FormValues): boolean {
  return JSON.stringify(values) !== JSON.stringify(start);
}
