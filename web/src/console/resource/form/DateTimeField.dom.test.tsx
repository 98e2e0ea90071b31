import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { withoutEnd } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { DATE_PRESETS, DateTimeField } from './DateTimeField.tsx';

const DAY = 86_400_000;

function End({ begin, chosen }: { readonly begin: string; readonly chosen: string[] }) {
  const [value, setValue] = useState(begin);
  return (
    <DateTimeField
      label="End"
      isEnd
      required
      time="23:59:59"
      value={value}
      onChange={(next) => {
        chosen.push(next);
        setValue(next);
      }}
    />
  );
}

async function open(value: string) {
  const chosen: string[] = [];
  await renderPage(<End begin={value} chosen={chosen} />);
  return { chosen, input: screen.getByRole<HTMLInputElement>('textbox', { name: /^End/ }) };
}

const type = (input: HTMLInputElement, text: string) => {
  fireEvent.change(input, { target: { value: text } });
  fireEvent.blur(input);
};

it('shows Never for a date without end, and extends a typed day to its last second', async () => {
  const { chosen, input } = await open(withoutEnd().toISOString());
  expect(input.value).toBe(t(common.never));
  type(input, '2027-01-31');
  expect(input.value).toBe('2027-01-31 23:59:59');
  expect(new Date(chosen.at(-1) ?? '')).toEqual(new Date(2027, 0, 31, 23, 59, 59));
});

it('takes durations, typed or by one click', async () => {
  const { chosen, input } = await open(withoutEnd().toISOString());
  type(input, '+7d');
  expect(Date.parse(chosen.at(-1) ?? '') - Date.now()).toBeGreaterThan(6.9 * DAY);
  const [hour] = DATE_PRESETS;
  fireEvent.click(screen.getByRole('button', { name: hour ? t(hour.label) : '' }));
  expect(Date.parse(chosen.at(-1) ?? '') - Date.now()).toBeLessThan(DAY / 12);
  fireEvent.click(screen.getByRole('button', { name: t(common.never) }));
  expect(input.value).toBe(t(common.never));
});

it('passes on text it does not understand, so the form rejects it', async () => {
  const { chosen, input } = await open(withoutEnd().toISOString());
  type(input, 'one fine day');
  expect([chosen.at(-1), input.value]).toEqual(['one fine day', 'one fine day']);
});
