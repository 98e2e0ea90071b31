import type { WidgetProps } from './spec.ts';

const ORDER: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];

/** Returns the properties that all inputs of a form have in common. */
export const inputProps = ({ name, label, help, required, disabled, error }: WidgetProps) => ({
  label,
  description: help,
  error,
  withAsterisk: required,
  disabled,
  inputWrapperOrder: ORDER,
  name,
});

/** Returns a value of a form as the text of an input; empty for none. */
export const asText = (value: unknown) =>
  value === null || value === undefined ? '' : String(value);

/** Returns the values of a list as texts. */
export const asTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : [];
