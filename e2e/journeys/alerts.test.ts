import { request } from 'node:http';
import { alert } from '@sallyport/contract';
import { expect } from 'vitest';
import { words } from '../../web/src/console/features/alerts/words.ts';
import { words as home } from '../../web/src/console/features/home/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildPerson, type Person } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const { journey } = useOwnServer();

/** The server reads the sign-in log every minute. */
const RAISED = { timeout: 150_000, interval: 1000 };

/** Signs in like a script from another network of the loopback interface. */
function signInFrom(localAddress: string, url: string, person: Person): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(
    new URL('/api/v1/authentication/auth/', url.replace('localhost', '127.0.0.1')),
    { method: 'POST', localAddress, headers: { 'content-type': 'application/json' } },
    (answer) => resolve(answer.resume().statusCode ?? 0),
  );
  sent.on('error', reject);
  sent.end(JSON.stringify({ username: person.username, password: person.password }));
  return promise;
}

journey(
  'marks an alert of a new network as seen, which leaves Needs attention',
  async (open, { admin, server }) => {
    const person = await buildPerson(admin);
    expect(await signInFrom('127.0.77.5', server.url, person)).toBe(201);
    await expect
      .poll(
        async () => (await admin.get<{ count: number }>(`${alert.path}/?limit=1`)).body.count,
        RAISED,
      )
      .toBe(1);

    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.main.getByRole('link', { name: view.say(home.unseenAlerts, { count: 1 }) }).click();
    const row = view.row(person.username);
    await row.getByText('127.0.77.0/24').waitFor();
    expect(await problemsOf(visitor.page, 'alerts')).toEqual([]);
    await row.getByRole('button', { name: view.say(words.markSeen) }).click();
    await view.dialog.getByLabel(view.say(words.note)).fill('A business trip');
    await view.dialog.getByRole('button', { name: view.say(words.markSeen), exact: true }).click();
    await row.waitFor({ state: 'detached' });
    await visitor.page.goto(new URL('/ui/dashboard', visitor.page.url()).href);
    await view.main.getByText(view.say(home.attention), { exact: true }).waitFor();
    expect(await view.main.getByText(view.say(home.unseenAlerts, { count: 1 })).count()).toBe(0);

    // The user reads about the sign-in, in Chinese.
    const own = await open({ language: 'zh' });
    await signIn(own, person, '/ui/users/notifications');
    await new ConsolePage(own).main.getByText(/127\.0\.77\.0\/24.*请立即修改密码/).waitFor();
  },
  300_000,
);
