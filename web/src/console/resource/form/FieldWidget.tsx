import {
  Alert,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Radio,
  Select,
  Skeleton,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { targetOf } from '@sallyport/contract';
import { common, t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { useSession } from '../../base/session.tsx';
import { referenceTo } from '../references.ts';
import { offeredChoices } from './form-state.ts';
import { exampleOf, unitOf } from './labels.ts';
import { ObjectField } from './ObjectField.tsx';
import { RelationField } from './RelationField.tsx';
import { SecretField } from './SecretField.tsx';
import { asSentences } from './sentences.ts';
import type { WidgetProps } from './spec.ts';
import { limitsOf, widgetOf } from './widgets.ts';
import { words } from './words.ts';

const DateTimeField = lazyComponent(
  () => import('./DateTimeField.tsx').then((module) => module.DateTimeField),
  <Skeleton height={60} />,
);

const ORDER: ('label' | 'input' | 'description' | 'error')[] = [
  'label',
  'input',
  'description',
  'error',
];
const AREA_ROWS = 3;

const asText = (value: unknown) => (value === null || value === undefined ? '' : String(value));
const asTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function UnknownField({ field, label }: WidgetProps) {
  return <Alert color="yellow">{t(words.unknownType, { label, type: field.kind })}</Alert>;
}

/** Draws the control of a field by its declaration. An unknown type shows a message. */
export function FieldWidget(props: WidgetProps) {
  const { role } = useSession();
  const { name, field, label, help, required, disabled, error, value, onChange, onBlur, updating } =
    props;
  const { min, max } = limitsOf(field);
  const [example, unit] = [exampleOf(field), unitOf(field)];
  const shared = {
    label,
    description: help,
    error,
    withAsterisk: required,
    disabled,
    inputWrapperOrder: ORDER,
    name,
  };
  const choices = offeredChoices(field, role.permissions, value).map((choice) => ({
    value: choice.value,
    display_name: t(choice.label),
  }));
  // Controls hold strings only; map the string back to the typed value of the choice.
  const original = (text: string | null) =>
    choices.find((choice) => String(choice.value) === text)?.value ?? '';

  switch (widgetOf(field)) {
    case 'text':
      return (
        <TextInput
          {...shared}
          {...(example && { placeholder: t(words.example, { example }) })}
          maxLength={max ?? 65_536}
          value={asText(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={onBlur}
        />
      );
    case 'email':
      return (
        <TextInput
          {...shared}
          type="email"
          maxLength={max ?? 128}
          value={asText(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={onBlur}
        />
      );
    case 'textarea':
      return (
        <Textarea
          {...shared}
          rows={AREA_ROWS}
          {...(max && { maxLength: max })}
          value={asText(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={onBlur}
        />
      );
    case 'password':
      return (
        <PasswordInput
          {...shared}
          description={asSentences(help, updating ? t(words.keep) : '')}
          aria-invalid={Boolean(error)}
          autoComplete="new-password"
          visibilityToggleButtonProps={{
            'aria-label': `${t(common.show)} / ${t(common.hide)} ${label}`,
            tabIndex: 0,
          }}
          value={asText(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={onBlur}
        />
      );
    case 'secret':
      return <SecretField {...props} />;
    case 'number':
      return (
        <NumberInput
          {...shared}
          allowDecimal={false}
          // Report a value outside the limits as an error instead of clamping it.
          clampBehavior="none"
          {...(unit && { suffix: ` ${unit}` })}
          {...(min !== undefined && { min })}
          {...(max !== undefined && { max })}
          value={typeof value === 'number' || typeof value === 'string' ? value : ''}
          onChange={onChange}
          onBlur={onBlur}
        />
      );
    case 'switch':
      return (
        <Switch
          label={label}
          description={help}
          error={error}
          disabled={disabled}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'radio':
      return (
        <Radio.Group
          {...shared}
          value={asText(value)}
          onChange={(chosen) => onChange(original(chosen))}
        >
          <Group gap="lg" my={6} style={{ rowGap: 8 }}>
            {choices.map((choice) => (
              <Radio
                key={String(choice.value)}
                value={String(choice.value)}
                label={choice.display_name}
                disabled={disabled}
              />
            ))}
          </Group>
        </Radio.Group>
      );
    case 'select':
      return (
        <Select
          {...shared}
          searchable
          // A choice with a default always has a value, so it cannot be cleared.
          allowDeselect={!required && field.defaultValue === undefined}
          clearable={!required && field.defaultValue === undefined}
          data={choices.map((choice) => ({
            value: String(choice.value),
            label: choice.display_name,
          }))}
          value={asText(value) || null}
          onChange={(chosen) => onChange(original(chosen))}
        />
      );
    case 'checkboxes':
      return (
        <Checkbox.Group {...shared} value={asTexts(value)} onChange={onChange}>
          <Group gap="lg" my={6} style={{ rowGap: 8 }}>
            {choices.map((choice) => (
              <Checkbox
                key={String(choice.value)}
                value={String(choice.value)}
                label={choice.display_name}
                disabled={disabled}
              />
            ))}
          </Group>
        </Checkbox.Group>
      );
    case 'multiselect':
      return (
        <MultiSelect
          {...shared}
          searchable
          clearable={!required}
          data={choices.map((choice) => ({
            value: String(choice.value),
            label: choice.display_name,
          }))}
          value={asTexts(value)}
          onChange={onChange}
        />
      );
    case 'json':
      return (
        <Textarea
          {...shared}
          autosize
          minRows={AREA_ROWS}
          maxRows={20}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={asText(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={onBlur}
        />
      );
    case 'object':
      return <ObjectField {...props} Widget={FieldWidget} />;
    case 'datetime':
      return (
        <DateTimeField
          label={label}
          description={help}
          error={error}
          required={required}
          disabled={disabled}
          value={asText(value)}
          onChange={onChange}
          {...(field?.kind === 'datetime' &&
            field.defaultValue === 'never' && { isEnd: true, time: '23:59:59' })}
        />
      );
    case 'list':
      return <TagsInput {...shared} value={asTexts(value)} onChange={onChange} />;
    case 'relation':
    case 'relations':
      return referenceTo(targetOf(field) ?? '') ? (
        <RelationField {...props} />
      ) : (
        <UnknownField {...props} />
      );
    case 'unknown':
      return <UnknownField {...props} />;
  }
}
