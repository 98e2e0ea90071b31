import { Fieldset, Stack, Text } from '@mantine/core';
import { FieldWidget } from './FieldWidget.tsx';
import type { FormValues } from './form-state.ts';
import type { WidgetProps } from './spec.ts';

/** A group of fields that is one value: each inner field with the control and the problems of its own. */
export function NestedField({ name, field, label, help, disabled, error, value, onChange, updating, inner }: WidgetProps) {
  const values = (value ?? {}) as FormValues;
  return (
    <Fieldset legend={label} disabled={disabled}>
      <Stack gap="md">
        {help && (
          <Text fz="sm" c="dimmed">
            {help}
          </Text>
        )}
        {Object.entries(field.children ?? {}).map(([own, child]) => {
          const path = `${name}.${own}`;
          return (
            <FieldWidget
              key={own}
              name={path}
              field={child}
              label={child.label || own}
              help={child.help_text}
              required={child.required}
              disabled={disabled || child.read_only}
              error={inner?.errors[path]}
              value={values[own]}
              onChange={(next) => onChange({ ...values, [own]: next })}
              onBlur={() => inner?.leave(path)}
              updating={updating}
              {...(inner && { inner })}
            />
          );
        })}
        {error && (
          <Text fz="sm" c="red" role="alert">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}
