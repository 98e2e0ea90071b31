import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { timeZone } from '../../../../kit/api.ts';
import { language, t } from '../../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../../testing/memory-server.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { words as home } from '../words.ts';
import { isSetUp } from './first-state.ts';
import { Steps } from './Steps.tsx';
import { words } from './words.ts';

const PATHS = {
  asset: 'assets/assets/',
  account: 'assets/system-users/',
  admin: 'assets/admin-users/',
  permission: 'perms/asset-permissions/',
} as const;

let server: MemoryServer;
const opened = vi.fn();
beforeEach(() => {
  opened.mockReset();
  vi.stubGlobal('open', opened);
  server = new MemoryServer().on('GET', 'settings/setting/', () => ({
    body: { basic: { SERVER_LANGUAGE: 'zh', SERVER_TIME_ZONE: 'Asia/Tokyo' } },
  }));
  for (const [name, path] of Object.entries(PATHS))
    server.on('POST', path, ({ query }) => ({
      status: 201,
      body: query.dry_run ? [] : { id: `the-${name}` },
    }));
});

const NONE = { servers: 0, accounts: 0, rules: 0, sessions: 0 };
const render = (counts = NONE) => renderPage(<Steps {...counts} setsUp />);
const field = (name: keyof typeof words) =>
  screen.getByLabelText(new RegExp(`^${t(words[name])}`), { selector: 'input' });
const stored = (path: string) =>
  server.requests
    .filter((request) => request.path === path && request.method === 'POST')
    .filter(({ query }) => !query.dry_run)
    .map(({ body }) => body);

function fill(values: Partial<Record<keyof typeof words, string>>) {
  for (const [name, value] of Object.entries(values))
    fireEvent.change(field(name as keyof typeof words), { target: { value } });
}
const press = (name: keyof typeof words) =>
  fireEvent.click(screen.getByRole('button', { name: t(words[name]) }));
const save = () => press('saveAndConnect');
const SERVER = { ip: '10.20.30.41', username: 'root', password: 'of the server' };

it('stores server, account and permission of one form, and opens the terminal', async () => {
  await render();
  fill(SERVER);
  save();
  await vi.waitFor(() =>
    expect(opened.mock.calls[0]?.[0]).toBe('/luna/?login_to=the-asset&account=the-account'),
  );
  expect(stored(PATHS.asset)).toEqual([
    { hostname: '10.20.30.41', ip: '10.20.30.41', platform: 'Linux', protocols: ['ssh/22'] },
  ]);
  expect(stored(PATHS.account)).toMatchObject([
    { name: 'root@10.20.30.41', password: SERVER.password, auto_push: false },
  ]);
  expect(stored(PATHS.permission)).toMatchObject([
    { users: ['me'], assets: ['the-asset'], system_users: ['the-account'] },
  ]);
  expect(stored(PATHS.admin)).toEqual([]);
});

it('keeps the account as admin user of the server, too', async () => {
  await render();
  fill({ ...SERVER, hostname: 'web-1' });
  fireEvent.click(field('keepAsAdmin'));
  save();
  await vi.waitFor(() => expect(opened).toHaveBeenCalled());
  expect(stored(PATHS.admin)).toMatchObject([{ name: 'root@web-1', password: SERVER.password }]);
  expect(stored(PATHS.asset)).toMatchObject([{ hostname: 'web-1', admin_user: 'the-admin' }]);
});

it('stores nothing if the server rejects a field, and names the problem below it', async () => {
  server
    .on('POST', PATHS.asset, () => ({ status: 400, body: [{ 'protocols.0': ['no port'] }] }))
    .on('POST', PATHS.account, () => ({ status: 400, body: [{ private_key: ['no key'] }] }));
  await render();
  fill(SERVER);
  save();
  await screen.findByText('no port');
  await screen.findByText('no key');
  expect(Object.values(PATHS).flatMap(stored)).toEqual([]);
  expect(opened).not.toHaveBeenCalled();
});

it('asks for a password or a key before it asks the server', async () => {
  await render();
  fill({ ip: SERVER.ip, username: SERVER.username });
  save();
  await screen.findByText(t(words.noSecret));
  expect(Object.values(PATHS).flatMap(stored)).toEqual([]);
});

it('says why the server could not store the objects', async () => {
  server.on('POST', PATHS.permission, () => ({
    status: 503,
    body: { code: 'unavailable', detail: 'The database is busy' },
  }));
  await render();
  fill(SERVER);
  save();
  expect((await screen.findByRole('alert')).textContent).toContain('The database is busy');
  expect(opened).not.toHaveBeenCalled();
});

it('offers the single steps, and shows them where some objects exist', async () => {
  const { unmount } = await render();
  press('oneByOne');
  await screen.findByRole('link', { name: new RegExp(t(home.stepServer)) });
  unmount();
  await render({ ...NONE, servers: 1 });
  await screen.findByRole('link', { name: new RegExp(t(home.stepAccount)) });
  expect(screen.queryByRole('button', { name: t(words.saveAndConnect) })).toBeNull();
});

it.each([
  [
    'the defaults in another browser',
    { SERVER_LANGUAGE: 'zh', SERVER_TIME_ZONE: 'Asia/Shanghai' },
    false,
  ],
  ['a chosen language', { SERVER_LANGUAGE: 'en', SERVER_TIME_ZONE: 'Asia/Shanghai' }, true],
  ['a chosen zone', { SERVER_LANGUAGE: 'zh', SERVER_TIME_ZONE: 'UTC' }, true],
  ['the values of the browser', { SERVER_LANGUAGE: language, SERVER_TIME_ZONE: timeZone() }, true],
])('asks for language and zone unless set: %s', (_, basic, isDone) =>
  expect(isSetUp(basic, undefined)).toBe(isDone),
);

it.each([
  ['http://localhost:8080', 'https://bastion.example.com', false],
  ['http://localhost:8080', 'http://127.0.0.1:8080', true],
  ['http://localhost:8080', undefined, true],
  ['https://other.example.com', 'https://bastion.example.com', true],
])(
  'asks for the address of links at %s while the console is open at %s: %s',
  (site, here, isDone) => {
    const basic = { SERVER_LANGUAGE: language, SERVER_TIME_ZONE: timeZone(), SITE_URL: site };
    expect(isSetUp(basic, here)).toBe(isDone);
  },
);

it('saves language, zone and address together, and shows a refusal below its field', async () => {
  const basic = { SERVER_LANGUAGE: 'zh', SERVER_TIME_ZONE: 'Asia/Shanghai' };
  server.on('GET', 'settings/setting/', () => ({ body: { basic } }));
  server.on('PATCH', 'settings/setting/', ({ body }) => {
    const zone = (body as { basic: typeof basic }).basic.SERVER_TIME_ZONE;
    if (zone === 'Mars/North')
      return { status: 400, body: { basic: { SERVER_TIME_ZONE: ['no zone'] } } };
    Object.assign(basic, (body as { basic: typeof basic }).basic);
    return { body: {} };
  });
  await render();
  await screen.findByRole('button', { name: t(words.save) });
  fill({ zone: 'Mars/North' });
  press('save');
  await screen.findByText('no zone');
  fill({ zone: 'Europe/Vienna' });
  press('save');
  await screen.findByText(t(words.saved));
  expect(basic.SERVER_TIME_ZONE).toBe('Europe/Vienna');
});
