import { MantineProvider } from '@mantine/core';
import type { FieldMetadata } from '@sallyport/contract';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { FieldWidget } from './FieldWidget.tsx';

const NOTHING = () => undefined;
const field = (type: FieldMetadata['type']): FieldMetadata => ({ type, required: false, read_only: false, write_only: false, label: 'x' });

it.each(['integer', 'string', 'boolean'] as const)('says the unit of a setting under its field (%s)', (type) => {
  const html = renderToString(
    <MantineProvider>
      <FieldWidget
        name="SECURITY_MAX_IDLE_TIME"
        field={field(type)}
        label="空闲"
        help="单位：分"
        required={false}
        disabled={false}
        value={type === 'boolean' ? false : 30}
        onChange={NOTHING}
        onBlur={NOTHING}
        updating
      />
    </MantineProvider>,
  );
  expect(html.match(/单位：分/g)).toHaveLength(1);
});
