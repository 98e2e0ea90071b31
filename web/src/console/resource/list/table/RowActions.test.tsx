import { MantineProvider } from '@mantine/core';
import { renderToString } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { type RowAction, RowActions } from './RowActions.tsx';
import { refusalToDelete, rowActions } from './row-actions.ts';

const NOTHING = () => undefined;
const action = (key: string, more: Partial<RowAction> = {}): RowAction => ({
  key,
  label: `do ${key}`,
  run: NOTHING,
  ...more,
});
const draw = (actions: readonly RowAction[], phone = false) =>
  renderToString(
    <MantineProvider>
      <RowActions actions={actions} name="host" phone={phone} />
    </MantineProvider>,
  );
const buttons = (html: string) =>
  [...html.matchAll(/<button[^>]*aria-label="([^"]*)"/g)].map(([, label]) => label);

describe('the actions of a row', () => {
  it('shows up to two actions in the row, otherwise the first and a menu', () => {
    expect(buttons(draw([action('a')]))).toEqual(['do a host']);
    expect(buttons(draw([action('a'), action('b')]))).toEqual(['do a host', 'do b host']);
    expect(buttons(draw([action('a'), action('b'), action('c')]))).toEqual([
      'do a host',
      '更多 host',
    ]);
  });

  it('moves all actions except icons into the menu on a phone', () => {
    expect(buttons(draw([action('a'), action('b')], true))).toEqual(['更多 host']);
    expect(
      buttons(draw([action('a'), action('star', { icon: () => null, iconOnly: true })], true)),
    ).toEqual(['do star host', '更多 host']);
  });

  it('disables actions by their flag', () => {
    expect(draw([action('a', { disabled: true })])).toMatch(/<button[^>]* disabled=""/);
    expect(draw([action('a')])).not.toContain('disabled');
  });

  it('keeps refused actions focusable, with the reason', () => {
    const html = draw([action('a', { refusal: 'it is internal' })]);
    expect(html).toMatch(/<button[^>]* aria-disabled="true"[^>]* title="it is internal"/);
    expect(html).not.toContain('disabled=""');
  });

  it('draws an action that opens a window as a link, unless it is refused or disabled', () => {
    const opens = '/luna/replay/1';
    const link = /<a[^>]* href="\/luna\/replay\/1"[^>]* target="_blank"[^>]* rel="noopener"/;
    expect(draw([action('a', { opens })])).toMatch(link);
    for (const state of [{ disabled: true }, { refusal: 'no recording' }])
      expect(draw([action('a', { opens, ...state })])).not.toContain('<a');
  });

  it('refuses an action on several rows with the reason and the name of the first row that refuses', () => {
    const rows = [{ name: 'mine' }, { name: 'Linux', why: 'it is internal' }];
    const canDelete = ({ why }: { readonly why?: string }) => why ?? true;
    expect(refusalToDelete(rows, canDelete, ({ name }) => name)).toBe('Linux：it is internal');
    expect(refusalToDelete(rows.slice(0, 1), canDelete, ({ name }) => name)).toBeUndefined();
    expect(refusalToDelete(rows, undefined, ({ name }) => name)).toBeUndefined();
    expect(
      refusalToDelete(
        rows,
        () => false,
        ({ name }) => name,
      ),
    ).toMatch(/^mine：/);
  });

  it('offers and enables actions by the flags of the row', () => {
    interface Row {
      readonly id: string;
      readonly mine: boolean;
    }
    const flags = {
      hasUpdate: true,
      canUpdate: ({ mine }: Row) => mine,
      canDelete: ({ mine }: Row) => mine,
    };
    const of = (mine: boolean, hasDelete: boolean | ((row: Row) => boolean)) =>
      rowActions(
        { id: '1', mine },
        { ...flags, hasDelete },
        { update: NOTHING, ahead: NOTHING, remove: NOTHING },
      ).map(({ key, disabled }) => [key, disabled ?? false]);
    expect(of(true, true)).toEqual([
      ['update', false],
      ['delete', false],
    ]);
    expect(of(false, true)).toEqual([
      ['update', true],
      ['delete', true],
    ]);
    expect(of(true, false)).toEqual([['update', false]]);
    expect(of(false, ({ mine }) => mine)).toEqual([['update', true]]);
  });
});
