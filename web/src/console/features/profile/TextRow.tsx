import { Text } from '@mantine/core';
import { common, t } from '../../../kit/i18n/index.ts';
import type { WidgetProps } from '../../resource/form/spec.ts';
import { textOf } from '../../resource/source.ts';

/**
 * A read-only form field: label, value, and a hint on how to change it. Looks like text, not like a
 * control.
 */
export function TextRow({ label, value, help }: WidgetProps) {
  return (
    <div>
      <Text fz="sm" fw={500}>
        {label}
      </Text>
      <Text style={{ overflowWrap: 'anywhere' }}>
        {textOf({ value }, 'value') || t(common.none)}
      </Text>
      {help && (
        <Text fz="xs" c="dimmed">
          {help}
        </Text>
      )}
    </div>
  );
}
