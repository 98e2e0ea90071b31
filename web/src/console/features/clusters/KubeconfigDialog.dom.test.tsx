import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { t } from '../../../kit/i18n/index.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { KubeconfigDialog } from './KubeconfigDialog.tsx';
import { words } from './words.ts';

afterEach(() => vi.unstubAllGlobals());

const ISSUED = { kubeconfig: '{}\n', token: 'spk', date_expired: '2026-12-01 08:00:00 +0800' };

const make = async (name: string, server: string) => {
  vi.stubGlobal('fetch', async (url: string | URL | Request) => {
    const isList = String(url instanceof Request ? url.url : url).includes('system-users');
    const answer = isList ? [{ id: 's-1', name: 'viewer' }] : { ...ISSUED, server };
    return new Response(JSON.stringify(answer), {
      headers: { 'content-type': 'application/json' },
    });
  });
  await renderPage(<KubeconfigDialog app={{ id: 'c-1', name }} onClose={() => undefined} />);
  fireEvent.click(await screen.findByRole('button', { name: t(words.make) }));
  return screen.findByText(/^kubectl /);
};

it('shows a command that a shell takes for one file, whatever the cluster is called', async () => {
  const command = await make("-it's a/b cluster", 'https://bastion.example.com/k8s/c-1');
  expect(command.textContent).toBe(
    `kubectl '--kubeconfig=-it'\\''s-a-b-cluster.kubeconfig' get pods`,
  );
  expect(screen.queryByText(t(words.needsTls))).toBeNull();
});

// kubectl 1.20.2 and 1.32.4 leave the token out there, without a word.
it('warns where the console has no HTTPS', async () => {
  await make('production', 'http://bastion.example.com/k8s/c-1');
  expect(screen.getByText(t(words.needsTls))).toBeTruthy();
});
