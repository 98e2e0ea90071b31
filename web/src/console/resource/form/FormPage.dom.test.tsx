import { ERRORS, platform, Role, say } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common, t } from '../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../testing/memory-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { FormPage } from './FormPage.tsx';
import { words } from './words.ts';

const GROUPS = [{ title: common.basicInfo, fields: ['name', 'base', 'meta', 'comment'] }] as const;
const form = (
  <FormPage
    source={platform}
    groups={GROUPS}
    overrides={{ meta: { hidden: ({ base }) => base !== 'Windows' } }}
  />
);
const name = () =>
  screen.getByRole('textbox', { name: new RegExp(`^${say(platform.fields.name.label, 'zh')}`) });
const submit = () => fireEvent.click(screen.getByRole('button', { name: t(common.submit) }));

describe('a form', () => {
  it('checks the values before it sends', async () => {
    const server = new MemoryServer();
    await renderPage(form, { path: '/assets/platforms/create' });
    submit();
    await screen.findByText(t(common.required));
    fireEvent.change(name(), { target: { value: 'with blanks' } });
    fireEvent.blur(name());
    await screen.findByText(say(ERRORS.not_slug, 'zh'));
    expect(server.requests.filter(({ method }) => method !== 'OPTIONS')).toEqual([]);
  });

  it('sends the entered values, without hidden and blank fields', async () => {
    const server = new MemoryServer().on('POST', 'assets/platforms/', () => ({
      status: 201,
      body: { id: '1' },
    }));
    await renderPage(form, { path: '/assets/platforms/create' });
    fireEvent.change(name(), { target: { value: ' mine ' } });
    submit();
    await waitFor(() =>
      expect(server.bodies('POST', 'assets/platforms/')).toEqual([
        { name: 'mine', base: 'Linux', meta: { console: false }, comment: '' },
      ]),
    );
  });

  it('submits with Ctrl+Enter from any field', async () => {
    const server = new MemoryServer().on('POST', 'assets/platforms/', () => ({
      status: 201,
      body: { id: '1' },
    }));
    await renderPage(form, { path: '/assets/platforms/create' });
    fireEvent.change(name(), { target: { value: 'mine' } });
    fireEvent.keyDown(name(), { key: 'Enter', ctrlKey: true });
    await waitFor(() => expect(server.bodies('POST', 'assets/platforms/')).toHaveLength(1));
  });

  it('puts the messages of the server under their fields, and the others above', async () => {
    new MemoryServer().on('POST', 'assets/platforms/', () => ({
      status: 400,
      body: { name: ['taken'], zone: ['odd'] },
    }));
    await renderPage(form, { path: '/assets/platforms/create' });
    fireEvent.change(name(), { target: { value: 'mine' } });
    submit();
    await screen.findByText('taken');
    expect(name().getAttribute('aria-invalid')).toBe('true');
    screen.getByText('zone: odd');
  });

  it('disables a field that this object does not allow to change, and shows the reason', async () => {
    new MemoryServer().on('GET', 'assets/platforms/1/', () => ({
      body: { id: '1', name: 'mine', base: 'Linux', comment: '', why: 'it is shared' },
    }));
    const overrides = {
      name: {
        refusal: ({ why }: Readonly<Record<string, unknown>>) =>
          typeof why === 'string' ? why : undefined,
      },
    };
    await renderPage(<FormPage source={platform} groups={GROUPS} overrides={overrides} />, {
      path: '/assets/platforms/1/update',
      route: '/assets/platforms/$id/update',
    });
    await screen.findByText('it is shared');
    expect(name().matches(':disabled')).toBe(true);
    expect(
      screen
        .getByRole('textbox', { name: new RegExp(`^${say(platform.fields.comment.label, 'zh')}`) })
        .matches(':disabled'),
    ).toBe(false);
  });

  it('starts a copy with the settings of the object, without its unique name and its own facts', async () => {
    new MemoryServer().on('GET', 'assets/platforms/1/', () => ({
      body: { id: '1', name: 'mine', base: 'Windows', comment: 'kept' },
    }));
    const leads: unknown[] = [];
    await renderPage(
      <FormPage
        source={{ ...platform, copyWithout: [] }}
        groups={GROUPS}
        lead={(_values, object) => {
          leads.push(object);
          return null;
        }}
      />,
      { path: '/assets/platforms/create?like=1', route: '/assets/platforms/create' },
    );
    await screen.findByText(t(words.copied, { name: 'mine' }));
    expect(screen.getByDisplayValue('kept')).toBeDefined();
    expect(name()).toHaveProperty('value', '');
    expect(leads.at(-1)).toEqual({});
  });

  it('hides the form from a role that may not save', async () => {
    new MemoryServer();
    await renderPage(form, { path: '/assets/platforms/create', role: Role.OrgAdmin });
    screen.getByText(t(words.noForm));
  });
});
