import { Checkbox, Group, MultiSelect, Radio, Select } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import { offeredChoices } from './form-state.ts';
import { asText, asTexts, inputProps } from './input-props.ts';
import type { WidgetProps } from './spec.ts';

/** Returns the choices that the user may take. */
function useChoices({ field, value }: WidgetProps) {
  const { role } = useSession();
  const offered = offeredChoices(field, role.permissions, value);
  return {
    choices: offered.map((choice) => ({ value: String(choice.value), label: t(choice.label) })),
    /** Controls hold strings only; this maps the string back to the typed value of the choice. */
    original: (text: string | null) =>
      offered.find((choice) => String(choice.value) === text)?.value ?? '',
  };
}

/** Chooses one value of a few that are all visible. */
export function RadioField(props: WidgetProps) {
  const { choices, original } = useChoices(props);
  return (
    <Radio.Group
      {...inputProps(props)}
      value={asText(props.value)}
      onChange={(chosen) => props.onChange(original(chosen))}
    >
      <Group gap="lg" my={6} style={{ rowGap: 8 }}>
        {choices.map(({ value, label }) => (
          <Radio key={value} value={value} label={label} disabled={props.disabled} />
        ))}
      </Group>
    </Radio.Group>
  );
}

/** Chooses one value from a menu. */
export function SelectField(props: WidgetProps) {
  const { choices, original } = useChoices(props);
  // A choice with a default always has a value, so it cannot be cleared.
  const canBeEmpty = !props.required && props.field.defaultValue === undefined;
  return (
    <Select
      {...inputProps(props)}
      searchable
      allowDeselect={canBeEmpty}
      clearable={canBeEmpty}
      data={choices}
      value={asText(props.value) || null}
      onChange={(chosen) => props.onChange(original(chosen))}
    />
  );
}

/** Several of a few choices, all visible. */
export function CheckboxesField(props: WidgetProps) {
  const { choices } = useChoices(props);
  return (
    <Checkbox.Group {...inputProps(props)} value={asTexts(props.value)} onChange={props.onChange}>
      <Group gap="lg" my={6} style={{ rowGap: 8 }}>
        {choices.map(({ value, label }) => (
          <Checkbox key={value} value={value} label={label} disabled={props.disabled} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

/** Several of many choices. */
export function MultiSelectField(props: WidgetProps) {
  const { choices } = useChoices(props);
  return (
    <MultiSelect
      {...inputProps(props)}
      searchable
      clearable={!props.required}
      data={choices}
      value={asTexts(props.value)}
      onChange={props.onChange}
    />
  );
}
