import { createHash } from 'node:crypto';
import {
  choicesOf,
  type Field,
  type FieldOf,
  type Fields,
  RESOURCES,
  type Resource,
  readableFields,
  type TextFormat,
  targetOf,
  writableFields,
} from '@sallyport/contract';

/** First or second example of a kind of object, where two must differ. */
type Variant = 1 | 2;

/** Returns the id of an example object. Same input, same id: examples refer to each other. */
export function exampleId(kind: string, variant = 1): string {
  const hex = createHash('sha256').update(`${kind} ${variant}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Examples by text format; other texts repeat the name of their field. */
const TEXTS: Readonly<Partial<Record<TextFormat, string>>> = {
  email: 'li.wei@example.com',
  username: 'li.wei',
  host: '10.20.30.41',
  sftpRoot: 'tmp',
  path: '/home/ops',
  url: 'https://example.com',
  port: '22',
  crontab: '0 3 * * *',
  timeZone: 'Asia/Shanghai',
  protocol: 'ssh/22',
};
const SECRET = 'quiet-Harbour-4-lantern';
const MOMENT = '2026-01-31 08:30:00 +0800';
const NEVER = '2036-01-31 08:30:00 +0800';

const find = (name: string | undefined) => RESOURCES.find((resource) => resource.name === name);

/** Returns a plausible value: the declared example, or one built from kind, format and label. */
export function exampleValue(
  field: Field,
  name: string,
  resource?: Resource,
  variant: Variant = 1,
): unknown {
  if (field.kind === 'text') return exampleText(field, name, resource, variant);
  if (field.example !== undefined) return field.example;
  switch (field.kind) {
    case 'id':
      return exampleId(resource?.name ?? name, variant);
    case 'reference':
      return exampleId(field.target);
    case 'secret':
      return field.multiline ? '' : SECRET;
    case 'integer':
      return field.defaultValue ?? Math.min(Math.max(2, field.min ?? 0), field.max ?? 2);
    case 'boolean':
      return field.defaultValue ?? true;
    case 'choice':
      return field.defaultValue ?? field.choices[0]?.value;
    case 'flags':
      return field.defaultValue ?? field.choices.slice(0, 1).map(({ value }) => value);
    case 'datetime':
      return field.defaultValue === 'never' ? NEVER : MOMENT;
    case 'many':
      return [exampleId(field.target)];
    case 'list':
      return field.defaultValue ?? [TEXTS[field.format] ?? field.label.en];
    case 'json':
      return field.defaultValue ?? null;
    case 'object':
      return field.nullable ? null : exampleBody(field.fields);
    case 'computed':
      return exampleComputed(field, name, resource);
  }
}

function exampleText(
  field: FieldOf<'text'>,
  name: string,
  resource: Resource | undefined,
  variant: Variant,
): unknown {
  const isLabel = name === resource?.labelField;
  // A link stored as text gets the name of its target.
  const kind = /^(.+)_id$/.exec(name)?.[1];
  if (kind === 'org') return '';
  if (kind) return exampleId(kind);
  const target = find(field.target);
  const targetName =
    target && exampleValue(target.fields[target.labelField] ?? field, target.labelField, target);
  const text = String(
    field.example ??
      targetName ??
      (field.defaultValue || TEXTS[field.format]) ??
      (isLabel ? resource.title.en : field.label.en),
  );
  const isKey = isLabel || field.unique !== undefined;
  return isKey && variant === 2 ? another(text) : text;
}

/** Returns a different text of the same form: `web-02` for `web-01`. */
function another(text: string): string {
  if (/\d/.test(text))
    return text.replace(/\d+(?=\D*$)/, (digits) =>
      String(Number(digits) + 1).padStart(digits.length, '0'),
    );
  return text.replace(/(?=@)|$/, text.includes(' ') ? ' 2' : '2');
}

function exampleComputed(
  field: FieldOf<'computed'>,
  name: string,
  resource: Resource | undefined,
): unknown {
  const { computedFrom: from, computedType: type, label } = field;
  if ('organizationName' in from) return 'DEFAULT';
  if ('choiceLabel' in from) {
    const chosen = resource?.fields[from.choiceLabel];
    const value = chosen && exampleValue(chosen, from.choiceLabel, resource);
    return choicesOf(chosen)?.find((choice) => choice.value === value)?.label.en ?? '';
  }
  switch (type) {
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'datetime':
      return MOMENT;
    case 'json':
      return null;
    case 'string': {
      const link = 'display' in from ? from.display : name.replace(/_display$/, '');
      const target = find(targetOf(resource?.fields[link]));
      return target
        ? exampleValue(target.fields[target.labelField] ?? field, target.labelField, target)
        : label.en;
    }
  }
}

/** Returns a row as in lists, or with `detail` as a single object. */
export function exampleRow(
  resource: Resource,
  detail = true,
  variant: Variant = 1,
): Record<string, unknown> {
  return Object.fromEntries(
    readableFields(resource, detail).map(([name, field]) => [
      name,
      exampleValue(field, name, resource, variant),
    ]),
  );
}

/**
 * Returns true if an example body includes the link: it is required, or its target exists earlier.
 */
function showsLink(resource: Resource, field: Field): boolean {
  const target = find(targetOf(field));
  return (
    field.required ||
    (target !== undefined && RESOURCES.indexOf(target) < RESOURCES.indexOf(resource))
  );
}

/** Returns a body that creates a row, or with `change` one that renames it. */
export function exampleInput(
  resource: Resource,
  variant: Variant = 1,
  change = false,
): Record<string, unknown> {
  const fields = writableFields(resource).filter(([name, field]) => {
    if (change) return name === resource.labelField;
    // Leave out multiline secrets: keys are long, and readers should not copy one.
    if (field.kind === 'secret') return !field.multiline;
    return field.kind === 'many' || field.kind === 'reference' ? showsLink(resource, field) : true;
  });
  return Object.fromEntries(
    fields.map(([name, field]) => [name, exampleValue(field, name, resource, variant)]),
  );
}

/** Returns an example body of declared fields. */
export function exampleBody(fields: Fields): Record<string, unknown> {
  const sent = Object.entries(fields).filter(
    ([, field]) =>
      field.mode !== 'readonly' &&
      field.kind !== 'id' &&
      !(field.kind === 'secret' && field.multiline),
  );
  // Use another object than the one in the path.
  return Object.fromEntries(
    sent.map(([name, field]) => [
      name,
      field.kind === 'many' ? [exampleId(field.target, 2)] : exampleValue(field, name),
    ]),
  );
}

export function examplePathValue(path: string, name: string): string {
  // Ids of pairs are numbers.
  if (
    path.endsWith('-relations/{id}/') &&
    !RESOURCES.some((resource) => path === `/api/v1/${resource.path}/{id}/`)
  )
    return '1';
  const below = RESOURCES.find(
    ({ parent, path: below }) => parent?.field === name && path.startsWith(`/api/v1/${below}/`),
  );
  if (below?.parent) return exampleId(below.parent.resource.name);
  const resource = RESOURCES.find(
    (resource) => resource.name === name || resource.name.endsWith(`_${name}`),
  );
  if (resource) return exampleId(resource.name);
  const above = RESOURCES.filter((resource) => path.startsWith(`/api/v1/${resource.path}/{`)).sort(
    (a, b) => b.path.length - a.path.length,
  )[0];
  const segment = path.split(`{${name}}`)[0]?.split('/').filter(Boolean).at(-1) ?? name;
  return exampleId(
    above?.name ??
      RESOURCES.find((resource) => resource.path.endsWith(`/${segment}`))?.name ??
      segment,
  );
}
