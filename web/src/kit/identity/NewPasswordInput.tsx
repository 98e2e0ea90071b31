import { PasswordInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { common, t } from '../i18n/index.ts';
import { PasswordMeter } from './PasswordMeter.tsx';
import type { PasswordRule } from './password-rules.ts';

interface NewPasswordInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Undefined until the settings are loaded. */
  readonly rule: PasswordRule | undefined;
  readonly error?: ReactNode;
  readonly description?: ReactNode;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly onBlur?: () => void;
  readonly autoFocus?: boolean;
  readonly size?: 'sm' | 'md';
}

/** Input for a new password, with its strength and rules. */
export function NewPasswordInput({
  label,
  value,
  onChange,
  rule,
  error,
  description,
  required,
  disabled,
  onBlur,
  autoFocus,
  size = 'sm',
}: NewPasswordInputProps) {
  const [focused, setFocused] = useState(false);
  return (
    <div>
      <PasswordInput
        label={label}
        description={description}
        withAsterisk={required ?? false}
        disabled={disabled ?? false}
        error={error}
        size={size}
        autoComplete="new-password"
        maxLength={128}
        {...(autoFocus && { 'data-autofocus': true, autoFocus: true })}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        aria-invalid={Boolean(error)}
        visibilityToggleButtonProps={{
          'aria-label': `${t(common.show)} / ${t(common.hide)} ${label}`,
          tabIndex: 0,
        }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        onFocus={() => setFocused(true)}
        onBlur={() => {
          setFocused(false);
          onBlur?.();
        }}
      />
      {rule && (focused || value !== '') && <PasswordMeter password={value} rule={rule} />}
    </div>
  );
}
