import { Box, Group, PasswordInput, Progress, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { common, t } from '../i18n/index.ts';
import { IconCheck, IconX } from '../icons.ts';
import {
  type PasswordRule,
  passwordStrength,
  ruleStates,
  STRENGTH_WORDS,
} from './password-rules.ts';
import { words } from './words.ts';

const COLORS = ['gray', 'red', 'yellow', 'teal', 'green'] as const;

/** Shows the strength of a password, and ticks off its rules during typing. */
function PasswordMeter({
  password,
  rule,
}: {
  readonly password: string;
  readonly rule: PasswordRule;
}) {
  const level = passwordStrength(password);
  return (
    <Box mt={8}>
      <Group gap="xs" mb={6} wrap="nowrap">
        <Progress
          value={level * 25}
          size={4}
          color={COLORS[level]}
          aria-label={t(words.strength)}
          style={{ flex: 1 }}
        />
        <Text fz="xs" c="dimmed" component="span" aria-live="polite">
          {level !== 0 && `${t(words.strength)}: ${t(STRENGTH_WORDS[level])}`}
        </Text>
      </Group>
      <ul aria-label={t(words.rules)} style={{ listStyle: 'none', margin: 0, padding: 0 }}>
        {ruleStates(password, rule).map(({ text, min, met }) => (
          <Text
            component="li"
            key={text.en}
            fz="xs"
            c={met ? 'green' : 'dimmed'}
            style={{ display: 'flex', gap: 4, alignItems: 'center' }}
          >
            {met ? (
              <IconCheck size={12} aria-label={t(words.met)} />
            ) : (
              <IconX size={12} aria-label={t(words.notMet)} />
            )}
            {t(text, min === undefined ? {} : { min })}
          </Text>
        ))}
      </ul>
    </Box>
  );
}

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
