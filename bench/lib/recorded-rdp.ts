import { setTimeout as sleep } from 'node:timers/promises';
import { startPrivateXrdp } from '../../server/src/gateway/testing/private-xrdp.ts';
import { launchBrowser, signInCookies } from './browser.ts';
import type { Client } from './http.ts';
import type { BenchServer } from './server.ts';

const LONGEST_MS = 120_000;

/** Uses a desktop of xrdp in a browser while a terminal on it writes lines, and names the session of the recording. */
export async function recordRdp({ url }: BenchServer, client: Client, lines: number): Promise<string> {
  const xrdp = await startPrivateXrdp();
  const browser = await launchBrowser();
  try {
    const script = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo "line $i of a scroll, as wide as lines of a log are: $((i*i)) bytes in $((i*7)) ms"; sleep 0.03; done; touch /home/plain/scrolled; sleep 600`;
    await xrdp.inside(
      `cat >/home/plain/.desktop <<'END'\n#!/bin/sh\nexec xterm -geometry 160x50+0+0 -e sh -c '${script}'\nEND\nchmod 755 /home/plain/.desktop; chown plain /home/plain/.desktop`.replaceAll(
        '\\n',
        '\n',
      ),
    );
    const make = async (path: string, body: unknown) => (await client.post<{ id: string }>(path, body)).id;
    const asset = await make('assets/assets/', { hostname: 'windows', ip: '127.0.0.1', platform: 'Windows', protocols: [`rdp/${xrdp.port}`] });
    const account = await make('assets/system-users/', {
      name: 'windows',
      username: 'plain',
      protocol: 'rdp',
      password: xrdp.passwords.plain,
      auto_push: false,
    });
    const { id: me } = await client.get<{ id: string }>('users/profile/');
    await make('perms/asset-permissions/', { name: 'windows', users: [me], assets: [asset], system_users: [account] });
    const context = await browser.newContext();
    await context.addCookies(await signInCookies(browser, url));
    const page = await context.newPage();
    await page.goto(`${url}/luna/?login_to=${asset}`);
    await waitFor('the scroll', async () => (await xrdp.inside('ls /home/plain')).includes('scrolled'));
    // The last lines are on their way.
    await sleep(2_000);
    await context.close();
    let session: { readonly id: string; readonly can_replay: boolean; readonly is_finished: boolean } | undefined;
    await waitFor('the recording', async () => {
      const { results } = await client.get<{ results: (typeof session & object)[] }>('terminal/sessions/?limit=1&protocol=rdp');
      session = results[0];
      return session?.is_finished === true && session.can_replay;
    });
    return session?.id ?? '';
  } finally {
    await browser.close();
    await xrdp.stop();
  }
}

async function waitFor(what: string, isThere: () => Promise<boolean>): Promise<void> {
  for (const from = performance.now(); !(await isThere()); await sleep(200)) if (performance.now() - from > LONGEST_MS) throw new Error(`${what} did not come`);
}
