import type { Reference } from '../references.ts';
import { RemoteSelect } from './RemoteSelect.tsx';
import type { WidgetProps } from './spec.ts';

/**
 * Chooses several objects of a reference that differs from the one in the metadata of the field.
 */
export function ReferenceField({
  reference,
  label,
  help,
  error,
  required,
  disabled,
  value,
  onChange,
}: WidgetProps & { readonly reference: Reference }) {
  return (
    <RemoteSelect
      reference={reference}
      label={label}
      description={help}
      error={error}
      required={required}
      disabled={disabled}
      multiple
      value={Array.isArray(value) ? value.map(String) : []}
      onChange={onChange}
    />
  );
}
