import { choicesOf, type Field } from '@sallyport/contract';

export type Widget =
  | 'text'
  | 'textarea'
  | 'email'
  | 'password'
  | 'secret'
  | 'number'
  | 'switch'
  | 'radio'
  | 'select'
  | 'checkboxes'
  | 'multiselect'
  | 'datetime'
  | 'relation'
  | 'relations'
  | 'list'
  | 'json'
  | 'object'
  | 'unknown';

const MAX_RADIO = 4;
const isLong = (field: Field) => (choicesOf(field)?.length ?? 0) > MAX_RADIO;

/** Returns the control for the declaration of a field. */
export function widgetOf(field: Field): Widget {
  switch (field.kind) {
    case 'text':
      if (field.format === 'email') return 'email';
      return field.multiline ? 'textarea' : 'text';
    case 'secret':
      return field.multiline ? 'secret' : 'password';
    case 'integer':
      return 'number';
    case 'boolean':
      return 'switch';
    case 'choice':
      return isLong(field) ? 'select' : 'radio';
    case 'flags':
      return isLong(field) ? 'multiselect' : 'checkboxes';
    case 'datetime':
    case 'list':
    case 'json':
    case 'object':
      return field.kind;
    case 'reference':
      return 'relation';
    case 'many':
      return 'relations';
    case 'id':
    case 'computed':
      return 'unknown';
  }
}

/** Returns the limits of a number, or of the length of a text. */
export function limitsOf(field: Field): { readonly min?: number; readonly max?: number } {
  return field.kind === 'integer' || field.kind === 'text' || field.kind === 'secret' ? field : {};
}

const ON_LEAVING: ReadonlySet<Widget> = new Set([
  'text',
  'textarea',
  'email',
  'password',
  'secret',
  'number',
  'json',
  'object',
]);

/** Returns true if a control is checked on blur instead of on change (conformance 5.2). */
export function checkedOnBlur(widget: Widget): boolean {
  return ON_LEAVING.has(widget);
}

const WIDE: ReadonlySet<Widget> = new Set([
  'textarea',
  'secret',
  'checkboxes',
  'json',
  'object',
  'unknown',
]);

/** Radio buttons that fit into half the width of a form. */
const NARROW_RADIO = 3;

/** Returns true if the control of a field takes the whole width of a form. */
export function isWide(field: Field): boolean {
  const widget = widgetOf(field);
  return WIDE.has(widget) || (widget === 'radio' && (choicesOf(field)?.length ?? 0) > NARROW_RADIO);
}
