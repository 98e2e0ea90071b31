import {
  Alert,
  Fieldset,
  NumberInput,
  PasswordInput,
  Skeleton,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { membersOf, say, targetOf } from '@sallyport/contract';
import type { ChangeEvent, ComponentType } from 'react';
import { common, language, t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { TagsField } from '../../../kit/TagsField.tsx';
import { referenceTo } from '../references.ts';
import { CheckboxesField, MultiSelectField, RadioField, SelectField } from './ChoiceFields.tsx';
import { asText, asTexts, inputProps } from './input-props.ts';
import { exampleOf, unitOf } from './labels.ts';
import { RelationField } from './RelationField.tsx';
import { SecretField } from './SecretField.tsx';
import { asSentences } from './sentences.ts';
import type { WidgetProps } from './spec.ts';
import { limitsOf, type Widget, widgetOf } from './widgets.ts';
import { words } from './words.ts';
import '@mantine/core/styles/Fieldset.layer.css';
import type { FormValues } from './form-state.ts';

const DateTimeField = lazyComponent(
  () => import('./DateTimeField.tsx').then((module) => module.DateTimeField),
  <Skeleton height={60} />,
);

const AREA_ROWS = 3;

/** The properties of an input that the user types into. */
const typedProps = (props: WidgetProps) => ({
  ...inputProps(props),
  value: asText(props.value),
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
    props.onChange(event.currentTarget.value),
  onBlur: props.onBlur,
});

function TextField(props: WidgetProps) {
  const example = exampleOf(props.field);
  return (
    <TextInput
      {...typedProps(props)}
      {...(example && { placeholder: t(words.example, { example }) })}
      maxLength={limitsOf(props.field).max ?? 65_536}
    />
  );
}

function EmailField(props: WidgetProps) {
  return (
    <TextInput {...typedProps(props)} type="email" maxLength={limitsOf(props.field).max ?? 128} />
  );
}

function TextAreaField(props: WidgetProps) {
  const { max } = limitsOf(props.field);
  return <Textarea {...typedProps(props)} rows={AREA_ROWS} {...(max && { maxLength: max })} />;
}

function JsonField(props: WidgetProps) {
  return (
    <Textarea
      {...typedProps(props)}
      autosize
      minRows={AREA_ROWS}
      maxRows={20}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  );
}

function PasswordField(props: WidgetProps) {
  return (
    <PasswordInput
      {...typedProps(props)}
      description={asSentences(props.help, props.updating ? t(words.keep) : '')}
      aria-invalid={Boolean(props.error)}
      autoComplete="new-password"
      visibilityToggleButtonProps={{
        'aria-label': `${t(common.show)} / ${t(common.hide)} ${props.label}`,
        tabIndex: 0,
      }}
    />
  );
}

function NumberField(props: WidgetProps) {
  const { field, value } = props;
  const { min, max } = limitsOf(field);
  const unit = unitOf(field);
  return (
    <NumberInput
      {...inputProps(props)}
      allowDecimal={false}
      // Report a value outside the limits as an error instead of clamping it.
      clampBehavior="none"
      {...(unit && { suffix: ` ${unit}` })}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
      value={typeof value === 'number' || typeof value === 'string' ? value : ''}
      onChange={props.onChange}
      onBlur={props.onBlur}
    />
  );
}

function SwitchField({ label, help, error, disabled, value, onChange }: WidgetProps) {
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
}

function DateField({
  field,
  label,
  help,
  error,
  required,
  disabled,
  value,
  onChange,
}: WidgetProps) {
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
}

function ListField(props: WidgetProps) {
  return (
    <TagsField {...inputProps(props)} value={asTexts(props.value)} onChange={props.onChange} />
  );
}

function KnownRelationField(props: WidgetProps) {
  return referenceTo(targetOf(props.field) ?? '') ? (
    <RelationField {...props} />
  ) : (
    <UnknownField {...props} />
  );
}

function UnknownField({ field, label }: WidgetProps) {
  return <Alert color="yellow">{t(words.unknownType, { label, type: field.kind })}</Alert>;
}

const WIDGETS: Record<Widget, ComponentType<WidgetProps>> = {
  text: TextField,
  email: EmailField,
  textarea: TextAreaField,
  password: PasswordField,
  secret: SecretField,
  number: NumberField,
  switch: SwitchField,
  radio: RadioField,
  select: SelectField,
  checkboxes: CheckboxesField,
  multiselect: MultiSelectField,
  json: JsonField,
  object: (props) => <ObjectField {...props} Widget={FieldWidget} />,
  datetime: DateField,
  list: ListField,
  relation: KnownRelationField,
  relations: KnownRelationField,
  unknown: UnknownField,
};

/** Draws the control of a field by its declaration. An unknown type shows a message. */
export function FieldWidget(props: WidgetProps) {
  const Drawn = WIDGETS[widgetOf(props.field)];
  return <Drawn {...props} />;
}

/** The members of an object field, each with its own control. */
function ObjectField({
  name,
  field,
  label,
  disabled,
  value,
  onChange,
  inner,
  members: shown,
  updating,
  Widget,
}: WidgetProps & { readonly Widget: ComponentType<WidgetProps> }) {
  const members = (value ?? {}) as FormValues;
  return (
    <Fieldset legend={label}>
      <Stack>
        {Object.entries(membersOf(field)).map(([member, declared]) => {
          if (shown && !shown.includes(member)) return null;
          const path = `${name}.${member}`;
          return (
            <Widget
              key={member}
              name={path}
              field={declared}
              label={say(declared.label, language)}
              help={declared.help && t(declared.help)}
              required={declared.required}
              disabled={disabled}
              error={inner?.errors[path]}
              value={members[member]}
              onChange={(next) => onChange({ ...members, [member]: next })}
              onBlur={() => inner?.leave(path)}
              updating={updating}
            />
          );
        })}
      </Stack>
    </Fieldset>
  );
}
