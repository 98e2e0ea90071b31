import '@mantine/core/styles/Fieldset.layer.css';
import { Fieldset, Stack } from '@mantine/core';
import { membersOf, say } from '@sallyport/contract';
import type { ComponentType } from 'react';
import { language, t } from '../../../kit/i18n/index.ts';
import type { FormValues } from './form-state.ts';
import type { WidgetProps } from './spec.ts';

/** The members of an object field, each with its own control. */
export function ObjectField({
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
