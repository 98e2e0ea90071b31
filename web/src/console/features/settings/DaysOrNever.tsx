import { Group, NumberInput, Switch } from '@mantine/core';
import { FOREVER_DAYS, type LocalText } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { unitOf } from '../../resource/form/labels.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { limitsOf } from '../../resource/form/widgets.ts';
import { words } from './words.ts';

/** The number of days that replaces "never" when the user turns it off. */
const A_YEAR = 365;

/** A number of days with a switch for no limit, which the server stores as a long period. */
function DaysOrNever({ never, ...props }: WidgetProps & { readonly never: LocalText }) {
  const { name, field, label, help, required, disabled, error, value, onChange, onBlur } = props;
  const { min, max } = limitsOf(field);
  const isNever = Number(value) >= FOREVER_DAYS;
  const unit = unitOf(field);
  return (
    <NumberInput
      name={name}
      label={label}
      description={help}
      error={error}
      withAsterisk={required}
      disabled={disabled || isNever}
      inputContainer={(input) => (
        <Group gap="sm" wrap="nowrap">
          {input}
          <Switch
            flex="none"
            label={t(never)}
            aria-label={`${label}: ${t(never)}`}
            checked={isNever}
            disabled={disabled}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? FOREVER_DAYS : A_YEAR)
            }
          />
        </Group>
      )}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      {...(unit && !isNever && { suffix: ` ${unit}` })}
      value={isNever ? '' : Number(value)}
      onChange={onChange}
      onBlur={onBlur}
    />
  );
}

/** The age at which passwords expire. */
export const PasswordDays = (props: WidgetProps) => (
  <DaysOrNever {...props} never={words.neverExpires} />
);

/** The age at which records are deleted. */
export const KeepDays = (props: WidgetProps) => (
  <DaysOrNever {...props} never={words.neverDeleted} />
);
