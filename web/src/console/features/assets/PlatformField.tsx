import { RemoteSelect } from '../../resource/form/RemoteSelect.tsx';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { referenceTo } from '../../resource/references.ts';

const PLATFORMS = referenceTo('platform');

/** Chooses a platform by name. */
export function PlatformField({
  label,
  help,
  required,
  disabled,
  error,
  value,
  onChange,
}: WidgetProps) {
  if (!PLATFORMS) return null;
  return (
    <RemoteSelect
      reference={PLATFORMS}
      label={label}
      description={help}
      required={required}
      disabled={disabled}
      error={error}
      multiple={false}
      clearable={false}
      value={value ? [String(value)] : []}
      onChange={([name]) => onChange(name ?? '')}
    />
  );
}
