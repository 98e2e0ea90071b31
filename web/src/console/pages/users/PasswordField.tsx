import '../../../kit/styles-more.css';
import { Box, PasswordInput, Progress, Text } from '@mantine/core';
import { useState } from 'react';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconCheck, IconX } from '../../../kit/icons.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { useSession } from '../../start/session.tsx';
import { ruleStates } from './password-rules.ts';
import { words } from './words.ts';

type PasswordFieldProps = Pick<WidgetProps, 'label' | 'help' | 'required' | 'disabled' | 'error' | 'value' | 'onChange' | 'onBlur'> & {
  readonly autoFocus?: boolean;
};

/** A new password, with the rules it has to meet ticked off while it is typed. */
export function PasswordField({ label, help, required, disabled, error, value, onChange, onBlur, autoFocus = false }: PasswordFieldProps) {
  const { settings } = useSession();
  const [focused, setFocused] = useState(false);
  const password = String(value ?? '');
  const rules = ruleStates(password, settings.PASSWORD_RULE);
  const met = rules.filter((rule) => rule.met).length;
  return (
    <div>
      <PasswordInput
        label={label}
        description={help}
        withAsterisk={required}
        disabled={disabled}
        error={error}
        autoComplete="new-password"
        maxLength={128}
        {...(autoFocus && { 'data-autofocus': true })}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        visibilityToggleButtonProps={{ 'aria-label': `${t(common.show)} / ${t(common.hide)} ${label}`, tabIndex: 0 }}
        value={password}
        onChange={(event) => onChange(event.currentTarget.value)}
        onFocus={() => setFocused(true)}
        onBlur={() => {
          setFocused(false);
          onBlur();
        }}
      />
      {(focused || password !== '') && (
        <Box mt={8} aria-live="polite">
          <Progress
            value={password ? (met / rules.length) * 100 : 0}
            size={4}
            mb={6}
            color={met === rules.length ? 'green' : 'yellow'}
            aria-label={t(words.passwordRules)}
          />
          {rules.map((rule) => (
            <Text key={rule.text.en} fz="xs" c={rule.met ? 'green' : 'dimmed'} style={{ display: 'flex', gap: 4, alignItems: 'center' }}>
              {rule.met ? <IconCheck size={12} aria-label={t(words.met)} /> : <IconX size={12} aria-label={t(words.notMet)} />}
              {t(rule.text, rule.min === undefined ? {} : { min: rule.min })}
            </Text>
          ))}
        </Box>
      )}
    </div>
  );
}
