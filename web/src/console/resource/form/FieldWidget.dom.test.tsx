import { boolean, integer, text } from '@sallyport/contract';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../../testing/render-page.tsx';
import { FieldWidget } from './FieldWidget.tsx';

const NOTHING = () => undefined;
const label = { en: 'x', zh: 'x' };

it.each([
  ['integer', integer({ label }), 30],
  ['string', text({ label }), '30'],
  ['boolean', boolean({ label }), false],
] as const)('shows the unit of a setting under its field (%s)', async (_kind, field, value) => {
  await renderPage(
    <FieldWidget
      name="SECURITY_MAX_IDLE_TIME"
      field={field}
      label="空闲"
      help="单位：分"
      required={false}
      disabled={false}
      value={value}
      onChange={NOTHING}
      onBlur={NOTHING}
      updating
    />,
  );
  expect(screen.getAllByText('单位：分')).toHaveLength(1);
});
