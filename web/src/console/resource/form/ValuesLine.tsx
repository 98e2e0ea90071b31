import type { Field } from '@sallyport/contract';
import { Fragment } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { type FormValues, isBlank } from './form-state.ts';
import { labelOf } from './labels.ts';
import type { FormModel } from './useForm.ts';
import { ValueText } from './ValueText.tsx';
import { words } from './words.ts';

/** Returns true if a value is worth stating: a switch that is off by default is not. */
export function isStated(field: Field | undefined, value: unknown): boolean {
  if (!field || isBlank(value)) return false;
  if (field.kind === 'object')
    return Object.entries(value as FormValues).some(([name, member]) =>
      isStated(field.fields[name], member),
    );
  return field.kind !== 'boolean' || value === true || field.defaultValue === true;
}

/** The values of some fields in one line; their labels if none is set. */
export function ValuesLine({
  form,
  names,
}: {
  readonly form: FormModel;
  readonly names: readonly string[];
}) {
  const stated = names.filter(
    (name) => !form.isControl(name) && isStated(form.fields[name], form.values[name]),
  );
  if (stated.length === 0)
    return names
      .flatMap((name) => form.fields[name] ?? [])
      .map(labelOf)
      .join(t(words.comma));
  return stated.map((name, index) => {
    const field = form.fields[name];
    const value = form.values[name];
    return (
      field && (
        <Fragment key={name}>
          {index > 0 && ' · '}
          {value === true ? labelOf(field) : t(words.pair, { label: labelOf(field) })}
          {value !== true && <ValueText field={field} value={value} />}
        </Fragment>
      )
    );
  });
}
