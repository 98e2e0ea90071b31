import { targetOf } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { findSummary } from '../../base/resources.ts';
import { referenceTo } from '../references.ts';
import { useFormDialogs } from './form-dialogs.ts';
import { RemoteSelect } from './RemoteSelect.tsx';
import type { WidgetProps } from './spec.ts';
import { words } from './words.ts';

const idsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : value ? [String(value)] : [];

/**
 * Chooses objects of another resource. Simple resources offer to create a missing object in a
 * dialog.
 */
export function RelationField({
  field,
  label,
  help,
  error,
  required,
  disabled,
  value,
  onChange,
}: WidgetProps) {
  const [typed, setTyped] = useState<string>();
  const target = targetOf(field) ?? '';
  const reference = referenceTo(target);
  const { CreateDialog } = useFormDialogs();
  const summary = findSummary(target);
  const creates = CreateDialog !== undefined && summary?.quick === true;
  const multiple = field.kind === 'many';
  const ids = idsOf(value);
  if (!reference) return null;
  const choose = (chosen: readonly string[]) => onChange(multiple ? chosen : (chosen[0] ?? ''));
  return (
    <>
      <RemoteSelect
        reference={reference}
        label={label}
        description={help}
        error={error}
        required={required}
        disabled={disabled}
        multiple={multiple}
        value={ids}
        onChange={choose}
        clearable={!required}
        {...(creates && {
          create: { label: t(words.createNew, { what: t(summary.title) }), begin: setTyped },
        })}
      />
      {creates && typed !== undefined && (
        <CreateDialog
          resource={target}
          {...(typed && { initial: { name: typed } })}
          onSaved={(saved) =>
            choose(
              multiple
                ? [...ids, (saved as { readonly id: string }).id]
                : [(saved as { readonly id: string }).id],
            )
          }
          onClose={() => setTyped(undefined)}
        />
      )}
    </>
  );
}
