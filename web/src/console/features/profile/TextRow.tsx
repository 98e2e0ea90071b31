import { Text } from '@mantine/core';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { textOf } from '../../resource/source.ts';

/** A field of a form that is only read: a name, its text, and where or by whom it is changed. It does not look like a control. */
export function TextRow({ label, value, help }: WidgetProps) {
  return (
    <div>
      <Text fz="sm" fw={500}>
        {label}
      </Text>
      <Text style={{ overflowWrap: 'anywhere' }}>{textOf({ value }, 'value') || '-'}</Text>
      {help && (
        <Text fz="xs" c="dimmed">
          {help}
        </Text>
      )}
    </div>
  );
}
