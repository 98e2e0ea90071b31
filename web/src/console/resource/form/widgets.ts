import type { FieldMetadata } from '@sallyport/contract';

/** The kinds of control a form can draw. */
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
  | 'file'
  | 'json'
  | 'nested'
  | 'unknown';

const MAX_RADIO = 4;

/** Which control a field gets (specification §5): some names decide by themselves, otherwise the type does. */
export function widgetOf(name: string, field: FieldMetadata): Widget {
  if (name === 'email') return 'email';
  if (name === 'password') return 'password';
  if (name === 'comment') return 'textarea';
  switch (field.type) {
    case 'choice':
      return (field.choices?.length ?? 0) > MAX_RADIO ? 'select' : 'radio';
    case 'multiple choice':
      return (field.choices?.length ?? 0) > MAX_RADIO ? 'multiselect' : 'checkboxes';
    case 'datetime':
      return 'datetime';
    case 'boolean':
      return 'switch';
    case 'integer':
    case 'float':
    case 'decimal':
      return 'number';
    case 'email':
      return 'email';
    case 'list':
      return 'list';
    case 'file upload':
    case 'image upload':
      return 'file';
    case 'json':
      return 'json';
    case 'nested object':
      return field.children ? 'nested' : 'json';
    case 'url':
      return 'text';
    case 'field':
      return field.target ? (field.multiple ? 'relations' : 'relation') : 'unknown';
    case 'string':
    case 'slug':
      if (field.write_only && (field.multiline || field.max_length === undefined)) return 'secret';
      return field.max_length === undefined || field.multiline ? 'textarea' : 'text';
    default:
      return 'unknown';
  }
}

/** Whether a control is checked when the person leaves it, and not while they type (specification §5). */
export function checkedOnBlur(widget: Widget): boolean {
  return ['text', 'textarea', 'email', 'password', 'secret', 'number', 'json', 'nested'].includes(widget);
}
