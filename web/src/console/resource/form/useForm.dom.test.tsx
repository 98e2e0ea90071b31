import { boolean, ERRORS, object, say, text } from '@sallyport/contract';
import { act, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { renderHook } from '../../../testing/render-hook.tsx';
import { type FormOptions, useForm } from './useForm.ts';

const labelOf = (en: string) => ({ en, zh: en });
const FIELDS = {
  name: text({ label: labelOf('Name'), max: 50, format: 'slug' }),
  comment: text({ label: labelOf('Comment'), max: 50, required: false }),
  shared: boolean({ label: labelOf('Shared'), defaultValue: true }),
  place: object({
    label: labelOf('Place'),
    fields: { city: text({ label: labelOf('City'), max: 50 }) },
  }),
};
const GROUPS = [
  { title: common.basicInfo, fields: ['name', 'comment', 'shared', 'place'] },
] as const;

/** Runs the hook on a page that draws nothing. */
async function formOf(options: Partial<FormOptions> = {}) {
  const save = vi.fn(async (body: Record<string, unknown>) => ({ id: '1', ...body }) as unknown);
  const onSaved = vi.fn();
  const { now: form } = await renderHook(() =>
    useForm(FIELDS, { groups: GROUPS, cacheKey: ['form'], save, onSaved, ...options }),
  );
  await waitFor(() => expect(form().state).not.toBe('loading'));
  return { form, save, onSaved };
}

describe('a form without a page', () => {
  it('starts with defaults, reports missing values, and sends the entered values', async () => {
    const { form, save, onSaved } = await formOf();
    expect(form().values).toEqual({ name: '', comment: '', shared: true, place: { city: '' } });
    await act(() => form().submit());
    expect(form().errors).toEqual({ name: t(common.required), 'place.city': t(common.required) });
    expect(save).not.toHaveBeenCalled();
    act(() => form().set('name', 'mine'));
    act(() => form().set('place', { city: 'here' }));
    expect(form().errors).toEqual({});
    expect(form().dirty).toBe(true);
    await act(() => form().submit());
    expect(save.mock.calls[0]?.[0]).toEqual({
      name: 'mine',
      comment: '',
      shared: true,
      place: { city: 'here' },
    });
    await waitFor(() => expect(onSaved).toHaveBeenCalledWith(expect.objectContaining({ id: '1' })));
    expect(form().dirty).toBe(false);
  });

  it('checks a text on blur with the messages of the server, and trims it', async () => {
    const { form } = await formOf();
    act(() => form().set('name', ' with blanks '));
    expect(form().errors).toEqual({});
    act(() => form().leave('name'));
    expect(form().values.name).toBe('with blanks');
    expect(form().errors).toEqual({ name: say(ERRORS.not_slug, 'zh') });
  });

  it('reports no problem for an untouched field, and an empty field that the user has changed', async () => {
    const { form } = await formOf();
    act(() => form().leave('name'));
    expect(form().errors).toEqual({});
    act(() => form().set('name', 'with blanks'));
    act(() => form().leave('name'));
    expect(form().errors).toHaveProperty('name');
    act(() => form().set('name', ''));
    act(() => form().leave('name'));
    // The user has emptied it, so it is no untouched field any more.
    expect(form().errors).toEqual({ name: t(common.required) });
    act(() => form().reset());
    act(() => form().leave('name'));
    expect(form().errors).toEqual({});
  });

  it('puts server errors under their fields, and keeps the others', async () => {
    const refusal = new ApiError(400, 'invalid', '', {
      fields: { name: ['taken'], zone: ['odd'] },
    });
    const { form } = await formOf({
      save: () => Promise.reject(refusal),
      initial: { name: 'mine', place: { city: 'here' } },
    });
    await act(() => form().submit());
    expect(form().errors).toEqual({ name: 'taken' });
    expect(form().otherErrors).toEqual(['zone: odd']);
    expect(form().saving).toBe(false);
  });

  it('starts with the edited object, and is empty again after saving one of several', async () => {
    const loaded = await formOf({
      load: async () => ({ name: 'old', comment: 'c', shared: false, place: { city: 'there' } }),
    });
    expect(loaded.form().values).toMatchObject({
      name: 'old',
      shared: false,
      place: { city: 'there' },
    });
    const { form, onSaved } = await formOf();
    act(() => form().set('name', 'first'));
    act(() => form().set('place', { city: 'here' }));
    await act(() => form().submit({ another: true }));
    expect(form().values.name).toBe('');
    expect(onSaved).not.toHaveBeenCalled();
  });
});
