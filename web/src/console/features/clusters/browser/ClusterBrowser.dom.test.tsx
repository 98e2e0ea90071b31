import { Permission } from '@sallyport/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { t } from '../../../../kit/i18n/index.ts';
import { renderPage } from '../../../../testing/render-page.tsx';
import { ClusterBrowser } from './ClusterBrowser.tsx';
import { words } from './words.ts';

afterEach(() => vi.unstubAllGlobals());

const VISIT = {
  id: 'v-1',
  cluster: 'c-1',
  cluster_name: 'production',
  system_user: 's-1',
  system_user_name: 'bastion',
  namespaces: ['team-a', 'team-b'],
  lists_namespaces: false,
  date_expired: '2026-12-01 08:00:00 +0800',
};
const PODS = {
  columns: [{ name: 'Status', description: '' }],
  rows: [
    {
      name: 'web-0',
      namespace: 'team-a',
      date_created: '2026-01-31 08:30:00 +0800',
      cells: ['Running'],
    },
  ],
  continue: '',
};
const POD = {
  yaml: 'kind: Pod\n',
  containers: [
    {
      name: 'main',
      kind: 'container',
      image: 'nginx:1.29',
      state: 'Running',
      is_running: true,
      restarts: 2,
    },
  ],
  no_log: null,
  no_terminal: null as string | null,
};

/** Answers requests by a part of their addresses. Returns the addresses. */
function serve(answers: Readonly<Record<string, { readonly status?: number; body: unknown }>>) {
  const addresses: string[] = [];
  vi.stubGlobal('fetch', async (url: string | URL | Request) => {
    const address = String(url instanceof Request ? url.url : url);
    addresses.push(address);
    const [, answer] = Object.entries(answers).find(([part]) => address.includes(part)) ?? [];
    return new Response(JSON.stringify(answer?.body ?? []), {
      status: answer?.status ?? 200,
      headers: { 'content-type': 'application/json' },
    });
  });
  return addresses;
}

const open = (search = '') =>
  renderPage(<ClusterBrowser />, {
    path: `/apps/clusters/c-1${search}`,
    route: '/apps/clusters/$id',
    role: Permission.USE,
  });

it('lists the pods of the first named namespace, and links to a terminal', async () => {
  const addresses = serve({
    'v-1/objects/': { body: PODS },
    'v-1/object/': { body: POD },
    'clusters/visits/': { body: VISIT },
  });
  await open();
  fireEvent.click(await screen.findByRole('button', { name: 'web-0' }));
  expect(addresses.some((url) => url.includes('kind=pods&namespace=team-a'))).toBe(true);
  const link = await screen.findByRole('link', { name: t(words.terminalIn, { name: 'main' }) });
  expect(link.getAttribute('href')).toBe(
    '/luna/?type=cluster&login_to=c-1&account=s-1&namespace=team-a&pod=web-0&container=main&shell=sh',
  );
});

it('says why a terminal is not allowed', async () => {
  serve({
    'v-1/objects/': { body: PODS },
    'v-1/object/': { body: { ...POD, no_terminal: 'No permission for exec.' } },
    'clusters/visits/': { body: VISIT },
  });
  await open('?namespace=team-a&kind=pods&in=team-a&object=web-0');
  await screen.findByText('No permission for exec.');
  const button = screen.getByRole('button', { name: t(words.terminalIn, { name: 'main' }) });
  expect(button.hasAttribute('disabled')).toBe(true);
});

it('offers to connect again after the visit has ended', async () => {
  const answers = {
    'v-1/objects/': { status: 404, body: { code: 'cluster_visit', detail: 'Connect again.' } },
    'clusters/visits/': { body: VISIT },
  };
  const addresses = serve(answers);
  await open();
  fireEvent.click(await screen.findByRole('button', { name: t(words.reconnect) }));
  await waitFor(() =>
    expect(addresses.filter((url) => url.endsWith('clusters/visits/')).length).toBe(2),
  );
});
