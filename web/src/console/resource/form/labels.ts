import type { Field } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';

/** Returns the unit of a number, which the control shows; empty for other fields. */
export const unitOf = (field: Field): string =>
  field.kind === 'integer' && field.unit ? t(field.unit) : '';

/** Returns the label of a field in a form: lists name the unit in the label, forms in the field. */
export function labelOf(field: Field): string {
  const label = t(field.label);
  const unit = unitOf(field);
  return unit ? label.replace(` (${unit})`, '').replace(`（${unit}）`, '') : label;
}

/** Returns an example for the placeholder of a text field; empty without one. */
export const exampleOf = (field: Field): string =>
  field.kind === 'text' && typeof field.example === 'string' ? field.example : '';
