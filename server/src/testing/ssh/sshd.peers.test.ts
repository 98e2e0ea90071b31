import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PrivateHost, startPrivateHost } from '../hosts/private-host.ts';
import { startSshd } from './sshd.ts';

let host: PrivateHost;
beforeAll(async () => {
  host = await startPrivateHost();
});
afterAll(() => host?.stop());

it('ends no programs of a private host when an sshd stops, even if account ids are equal', async () => {
  const sleeping = async () => (await host.inside('pgrep -fx "sleep 86403" | wc -l')).trim();
  await host.inside(
    'for name in admin deputy plain; do su "$name" -c "sleep 86403 >/dev/null 2>&1 &"; done',
  );
  expect(await sleeping()).toBe('3');
  // Each account takes the next free id of this machine; the host has copied the accounts before.
  for (const sshd of await Promise.all([startSshd(), startSshd(), startSshd()])) await sshd.stop();
  expect(await sleeping()).toBe('3');
});
