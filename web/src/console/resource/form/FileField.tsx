import { FileInput } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import type { WidgetProps } from './spec.ts';
import { words } from './words.ts';

const PICTURES = 'image/png,image/jpeg,image/gif,image/webp,image/x-icon';

/** A file that goes to the server with the form. Nothing chosen means: the one that is there stays. */
export function FileField({ name, field, label, help, required, disabled, error, value, onChange }: WidgetProps) {
  const present = typeof value === 'string' && value !== '' ? t(words.presentFile, { name: value.split('/').at(-1) ?? value }) : undefined;
  return (
    <FileInput
      name={name}
      label={label}
      description={[help, present].filter(Boolean).join(' ')}
      error={error}
      withAsterisk={required}
      disabled={disabled}
      clearable={!required}
      clearButtonProps={{ 'aria-label': `${t(words.clear)} ${label}` }}
      placeholder={t(words.chooseFile)}
      {...(field.type === 'image upload' && { accept: PICTURES })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={value instanceof File ? value : null}
      onChange={onChange}
    />
  );
}
