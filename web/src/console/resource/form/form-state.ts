import type { FieldMetadata } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

export type FormValues = Readonly<Record<string, unknown>>;
export type FormErrors = Readonly<Record<string, string>>;

const isNumeric = (type: string) => ['integer', 'float', 'decimal'].includes(type);
const isFileField = ({ type }: Pick<FieldMetadata, 'type'>) => type === 'file upload' || type === 'image upload';
/** Parameters of any names: an object whose fields nobody declared. */
const isJsonField = (field: Pick<FieldMetadata, 'type' | 'children'> | undefined) =>
  field !== undefined && (field.type === 'json' || (field.type === 'nested object' && !field.children));

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether nothing is entered. False and 0 are something. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function blankOf(field: FieldMetadata | undefined): unknown {
  if (field?.children) return startingValues(Object.keys(field.children), field.children, undefined, {});
  if (field?.multiple || field?.type === 'list' || field?.type === 'multiple choice') return [];
  return field?.type === 'boolean' ? false : '';
}

/** A value as the control of its field holds it: JSON is edited as a text, a group field by field. */
function heldAs(field: FieldMetadata | undefined, value: unknown): unknown {
  if (field?.children) return startingValues(Object.keys(field.children), field.children, value as FormValues, {});
  return isJsonField(field) && value !== '' && typeof value !== 'string' ? JSON.stringify(value, null, 2) : value;
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
      const field = metadata[name];
      const value = object ? (object[name] ?? initial[name]) : (initial[name] ?? field?.default);
      return [name, value === undefined || value === null ? blankOf(field) : heldAs(field, value)];
    }),
  );
}

/** The limits of a field that can be told before the server sees the value. */
type Limits = Pick<FieldMetadata, 'type' | 'min_value' | 'max_value' | 'min_length' | 'max_length' | 'child' | 'children'>;

function outsideOf(limits: Limits, value: unknown): string | undefined {
  const { min_value: least, max_value: most, min_length: shortest, max_length: longest } = limits;
  if (isNumeric(limits.type)) {
    const number = Number(value);
    if (limits.type === 'integer' ? !Number.isSafeInteger(number) : !Number.isFinite(number))
      return t(limits.type === 'integer' ? words.notInteger : words.notNumber);
    if (least !== undefined && number < least) return t(words.tooSmall, { min: least });
    return most !== undefined && number > most ? t(words.tooLarge, { max: most }) : undefined;
  }
  if (typeof value !== 'string') return undefined;
  if (isJsonField(limits)) return parsedJson(value) === undefined ? t(words.notJson) : undefined;
  const { length } = [...value.trim()];
  if (shortest !== undefined && length < shortest) return t(words.tooShort, { min: shortest });
  return longest !== undefined && length > longest ? t(words.tooLong, { max: longest }) : undefined;
}

/** The problem of one value before the server sees it: that it is missing, or outside of its limits. */
export function problemOf(value: unknown, required: boolean, limits?: Limits): string | undefined {
  if (isBlank(typeof value === 'string' ? value.trim() : value)) return required ? t(common.required) : undefined;
  return limits && outsideOf(limits, value);
}

/** The problems of a field by path: its own, and those of the fields inside of it. */
export function problemsOf(path: string, value: unknown, required: boolean, field?: FieldMetadata): FormErrors {
  if (field?.children) {
    const inner = (value ?? {}) as FormValues;
    const found = Object.entries(field.children).map(([name, child]) => problemsOf(`${path}.${name}`, inner[name], child.required, child));
    return Object.assign({}, ...found);
  }
  const problem = problemOf(value, required, field);
  return problem ? { [path]: problem } : {};
}

/** The paths under which a form can show problems: its fields, and the fields inside of groups. */
export function pathsOf(names: readonly string[], metadata: Readonly<Record<string, FieldMetadata>>): string[] {
  return names.flatMap((name) => {
    const children = metadata[name]?.children;
    return [name, ...(children ? pathsOf(Object.keys(children), children).map((path) => `${name}.${path}`) : [])];
  });
}

function sent(value: unknown, field: FieldMetadata): unknown {
  if (field.children) return bodyOf((value ?? {}) as FormValues, field.children);
  if (isJsonField(field) && typeof value === 'string') return value.trim() === '' ? null : (parsedJson(value) ?? value);
  // No object, no moment: null says so.
  if (value === '' && (field.type === 'field' || field.type === 'datetime')) return null;
  return typeof value === 'string' && !field.write_only ? value.trim() : value;
}

/** The body of a request: declared fields only; blank secrets, numbers and unchanged files stay out, which means "as it is". */
export function bodyOf(values: FormValues, metadata: Readonly<Record<string, FieldMetadata>>): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const field = metadata[name];
    if (!field || field.read_only) continue;
    if (isBlank(value) && (field.write_only || isNumeric(field.type))) continue;
    if (isFileField(field) && !(value instanceof Blob)) continue;
    body[name] = sent(value, field);
  }
  return body;
}

/** A body with files in it, as a browser sends it; `undefined` when it has none and JSON does. */
export function formDataOf(body: Readonly<Record<string, unknown>>): FormData | undefined {
  if (!Object.values(body).some((value) => value instanceof Blob)) return undefined;
  const data = new FormData();
  for (const [name, value] of Object.entries(body)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one instanceof Blob) data.append(name, one);
      else if (one !== null && one !== undefined) data.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one));
    }
  }
  return data;
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
