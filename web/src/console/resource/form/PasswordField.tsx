import { NewPasswordInput } from '../../../kit/identity/NewPasswordInput.tsx';
import { useSession } from '../../base/session.tsx';
import type { WidgetProps } from './spec.ts';

type PasswordFieldProps = Pick<
  WidgetProps,
  'label' | 'help' | 'required' | 'disabled' | 'error' | 'value' | 'onChange' | 'onBlur'
> & {
  readonly autoFocus?: boolean;
};

/** A new password with its strength and the rules of this installation. */
export function PasswordField({
  label,
  help,
  required,
  disabled,
  error,
  value,
  onChange,
  onBlur,
  autoFocus = false,
}: PasswordFieldProps) {
  const { settings } = useSession();
  return (
    <NewPasswordInput
      label={label}
      description={help}
      required={required}
      disabled={disabled}
      error={error}
      rule={settings.PASSWORD_RULE}
      value={String(value ?? '')}
      onChange={onChange}
      onBlur={onBlur}
      autoFocus={autoFocus}
    />
  );
}
