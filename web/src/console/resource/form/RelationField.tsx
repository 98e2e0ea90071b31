import { lazy, Suspense, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { referenceTo } from '../references.ts';
import { creatable } from './creatable.ts';
import { RemoteSelect } from './RemoteSelect.tsx';
import type { WidgetProps } from './spec.ts';
import { words } from './words.ts';

const ObjectDialog = lazy(() => import('../dialog/ObjectDialog.tsx').then((module) => ({ default: module.ObjectDialog })));

const idsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : value ? [String(value)] : []);

/** Chooses objects of another resource; one that is not there yet is made on the spot where that is simple. */
export function RelationField({ field, label, help, error, required, disabled, value, onChange }: WidgetProps) {
  const [typed, setTyped] = useState<string>();
  const target = field.target ?? '';
  const reference = referenceTo(target);
  const making = creatable(target);
  const multiple = field.multiple === true;
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
        {...(making && { create: { label: t(words.createNew, { what: t(making.source.title) }), begin: setTyped } })}
      />
      {making && typed !== undefined && (
        <Suspense>
          <ObjectDialog
            mode="new"
            source={making.source}
            groups={making.groups}
            {...(typed && { initial: { name: typed } })}
            onSaved={(saved) => choose(multiple ? [...ids, (saved as { readonly id: string }).id] : [(saved as { readonly id: string }).id])}
            onClose={() => setTyped(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
