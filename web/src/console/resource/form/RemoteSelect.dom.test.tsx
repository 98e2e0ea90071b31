import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { OverlayHost } from '../../../kit/dialogs/overlay-host.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { clickWhenEnabled } from '../../../testing/click-when-enabled.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { narrowed, type Reference } from '../references.ts';
import { textOf } from '../source.ts';
import { RemoteSelect } from './RemoteSelect.tsx';
import { words } from './words.ts';

const chosen: (readonly string[])[] = [];
const PEOPLE = narrowed('user', { role: 'User' });

function Select() {
  const [value, setValue] = useState<readonly string[]>([]);
  return (
    <RemoteSelect
      reference={PEOPLE}
      label="People"
      multiple
      value={value}
      onChange={(next) => {
        chosen.push(next);
        setValue(next);
      }}
    />
  );
}

it('requests options only when opened, searches on the server, and labels the choice as its resource does', async () => {
  const server = new MemoryServer().on('GET', 'users/users/', ({ query }) => ({
    body: {
      count: 1,
      next: null,
      previous: null,
      results: [{ id: `id-${query.search}`, name: 'Ann', username: query.search || 'ann' }],
    },
  }));
  await renderPage(<Select />);
  expect(server.requests).toEqual([]);
  const input = screen.getByRole('combobox');
  // Moving the focus through a form opens no list.
  fireEvent.focus(input);
  expect(server.requests).toEqual([]);
  expect(document.querySelector('[aria-busy="true"]')).toBeNull();
  fireEvent.click(input);
  await screen.findByRole('option', { name: 'Ann(ann)', hidden: true });
  expect(server.requests.at(-1)?.query).toMatchObject({ search: '', offset: '0', limit: '10' });
  const isBusy = () => screen.getByRole('listbox', { hidden: true }).getAttribute('aria-busy');
  expect(isBusy()).toBe('false');
  fireEvent.change(input, { target: { value: 'bob' } });
  expect(isBusy()).toBe('true');
  const option = await screen.findByRole('option', { name: 'Ann(bob)', hidden: true });
  expect(isBusy()).toBe('false');
  fireEvent.click(option);
  expect(chosen).toEqual([['id-bob']]);
  expect(server.requests.at(-1)?.query).toMatchObject({
    search: 'bob',
    role: 'User',
    fields_size: 'mini',
    order: 'name',
    limit: '10',
  });
  await waitFor(() => expect(screen.getAllByText('Ann(bob)').length).toBeGreaterThan(0));
});

interface SeveralProps {
  readonly reference: Reference;
  readonly values: readonly string[];
  /** Every value passed to `onChange`, in order. */
  readonly results: (readonly string[])[];
}

function Several({ reference, values, results }: SeveralProps) {
  const [value, setValue] = useState(values);
  return (
    <RemoteSelect
      reference={reference}
      label="People"
      multiple
      value={value}
      onChange={(next) => {
        results.push(next);
        setValue(next);
      }}
    />
  );
}

describe('choosing several', () => {
  const open = async (reference: Reference, values: readonly string[]) => {
    new MemoryServer().on('GET', 'users/users/', () => ({
      body: {
        count: 2,
        next: null,
        previous: null,
        results: ['root', 'ann'].map((username) => ({ id: username, name: username, username })),
      },
    }));
    const results: (readonly string[])[] = [];
    await renderPage(
      <>
        <Several reference={reference} values={values} results={results} />
        <OverlayHost />
      </>,
    );
    const input = screen.getByRole('combobox');
    fireEvent.click(input);
    await screen.findByRole('option', { name: 'ann(ann)', hidden: true });
    return {
      input,
      results,
      option: (name: string) => screen.getByRole('option', { name, hidden: true }),
    };
  };
  const click = (element: HTMLElement, keys = {}) => {
    fireEvent.pointerDown(element, keys);
    fireEvent.click(element, keys);
  };

  it('closes the list after a click, and keeps it open with Shift', async () => {
    const { input, results, option } = await open(PEOPLE, []);
    click(option('ann(ann)'), { shiftKey: true });
    expect(input.getAttribute('aria-expanded')).toBe('true');
    click(option('root(root)'));
    await waitFor(() => expect(input.getAttribute('aria-expanded')).toBe('false'));
    expect(results).toEqual([['ann'], ['ann', 'root']]);
  });

  it('marks the last value on the first Backspace, and removes it on the second', async () => {
    const { input, results } = await open(PEOPLE, ['ann']);
    fireEvent.keyDown(input, { key: 'Backspace' });
    expect(results).toEqual([]);
    fireEvent.keyDown(input, { key: 'ArrowLeft' });
    fireEvent.keyDown(input, { key: 'Backspace' });
    expect(results).toEqual([]);
    fireEvent.keyDown(input, { key: 'Backspace' });
    expect(results).toEqual([[]]);
  });

  it('offers far-reaching objects last, and asks for confirmation before choosing one', async () => {
    const cautious = {
      ...PEOPLE,
      caution: (row: object) => (textOf(row, 'username') === 'root' ? 'Everything?' : undefined),
    };
    const { results, option } = await open(cautious, []);
    expect(
      screen.getAllByRole('option', { hidden: true }).map(({ textContent }) => textContent),
    ).toEqual(['ann(ann)', 'root(root)']);
    click(option('root(root)'));
    await screen.findByText('Everything?');
    expect(results).toEqual([]);
    await clickWhenEnabled(t(words.add));
    await waitFor(() => expect(results).toEqual([['root']]));
  });
});

describe('Enter', () => {
  const page = (names: readonly string[]) => ({
    body: {
      count: names.length,
      next: null,
      previous: null,
      results: names.map((username) => ({ id: username, name: username, username })),
    },
  });
  const begin = async (answer: (search: string) => Promise<readonly string[]>) => {
    new MemoryServer().on('GET', 'users/users/', async ({ query }) =>
      page(await answer(query.search ?? '')),
    );
    const results: (readonly string[])[] = [];
    let submitted = 0;
    await renderPage(
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submitted++;
        }}
      >
        <Several reference={PEOPLE} values={[]} results={results} />
        <input aria-label="next" />
      </form>,
    );
    const input = screen.getByRole('combobox');
    /** Imitates Enter in a browser: submits the form unless the field prevents the default. */
    const enter = () => {
      if (fireEvent.keyDown(input, { key: 'Enter', code: 'Enter' })) fireEvent.submit(input);
    };
    const type = (text: string) => {
      input.focus();
      fireEvent.change(input, { target: { value: text } });
    };
    return { input, results, enter, type, submitted: () => submitted };
  };

  it('chooses the first match of a search without an arrow key, and announces it', async () => {
    const { input, results, enter, type, submitted } = await begin(async (search) => [
      `${search}1`,
      `${search}2`,
    ]);
    type('ann');
    const option = await screen.findByRole('option', { name: 'ann1(ann1)', hidden: true });
    await waitFor(() => expect(input.getAttribute('aria-activedescendant')).toBe(option.id));
    enter();
    await waitFor(() => expect(results).toEqual([['ann1']]));
    expect(submitted()).toBe(0);
    // A chosen object is not the first match of the next search.
    type('ann');
    await waitFor(() =>
      expect(input.getAttribute('aria-activedescendant')).toBe(
        screen.getByRole('option', { name: 'ann2(ann2)', hidden: true }).id,
      ),
    );
    enter();
    await waitFor(() => expect(results.at(-1)).toEqual(['ann1', 'ann2']));
  });

  it('chooses the first match after Enter during a running search, even if the focus moved on', async () => {
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    const { input, results, enter, type, submitted } = await begin(async (search) => {
      if (search !== '') await held;
      return [`${search}1`];
    });
    type('bob');
    enter();
    screen.getByLabelText('next').focus();
    expect(results).toEqual([]);
    release();
    await waitFor(() => expect(results).toEqual([['bob1']]));
    await waitFor(() => expect(input.getAttribute('aria-expanded')).toBe('false'));
    expect(submitted()).toBe(0);
  });

  it('chooses nothing without a match, and then submits the form', async () => {
    const { results, enter, type, submitted } = await begin(async () => []);
    type('nobody');
    enter();
    expect(submitted()).toBe(0);
    await screen.findByText(t(words.nothing));
    await waitFor(() => {
      enter();
      expect(submitted()).toBe(1);
    });
    expect(results).toEqual([]);
  });
});
