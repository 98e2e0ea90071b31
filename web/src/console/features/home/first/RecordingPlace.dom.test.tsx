import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { t } from '../../../../kit/i18n/index.ts';
import { MemoryServer } from '../../../../testing/memory-server.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { storageWords as words } from '../../storages/index.ts';
import { Steps } from './Steps.tsx';

let server: MemoryServer;
let isAsked: boolean;
beforeEach(() => {
  isAsked = true;
  const item = { kind: 'recordings_on_disks', count: 2, examples: [] };
  server = new MemoryServer()
    .on('GET', 'settings/setting/', () => ({ body: { basic: {} } }))
    .on('GET', 'common/attention/', () => ({ body: isAsked ? [item] : [] }))
    .on('GET', 'terminal/replay-storages/', () => ({ body: [{ id: 'disks', type: 'server' }] }))
    .on('PATCH', 'terminal/replay-storages/disks/', () => {
      isAsked = false;
      return { body: {} };
    });
});

const NONE = { servers: 0, accounts: 0, rules: 0, sessions: 0 };
const question = () => screen.queryByText(t(words.recordingPlace));

it('asks administrators of several servers for the place of recordings, and offers a bucket', async () => {
  await renderPage(<Steps {...NONE} setsUp />);
  const link = await screen.findByRole('link', { name: t(words.chooseBucket) });
  const { pathname, searchParams } = new URL((link as HTMLAnchorElement).href);
  expect(pathname).toContain('/terminal/replay-storage/create');
  expect([searchParams.get('type'), searchParams.get('is_for_all')]).toEqual(['s3', 'true']);
});

it('keeps recordings on the disks, and asks no more', async () => {
  await renderPage(<Steps {...NONE} setsUp />);
  fireEvent.click(await screen.findByRole('button', { name: t(words.keepOnDisks) }));
  await vi.waitFor(() => expect(question()).toBeNull());
  const [answer] = server.requests.filter(({ method }) => method === 'PATCH');
  expect(answer?.body).toEqual({ is_for_all: true });
});

it.each([
  ['one server', false, true],
  ['other administrators', true, false],
])('does not ask %s', async (_name, asked, setsUp) => {
  isAsked = asked;
  await renderPage(<Steps {...NONE} setsUp={setsUp} />);
  await vi.waitFor(() =>
    expect(server.requests.some(({ path }) => path === 'common/attention/')).toBe(setsUp),
  );
  expect(question()).toBeNull();
});
