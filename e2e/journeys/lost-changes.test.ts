import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { APPLICATION_ROLE } from '../../server/src/platform/db/roles.ts';
import type { Json, Page } from '../../server/src/testing/client.ts';
import {
  createEarlierDatabase,
  type EarlierDatabase,
} from '../../server/src/testing/earlier-database.ts';
import { databaseAt } from '../../server/src/testing/test-database.ts';
import { words as home } from '../../web/src/console/features/home/database/words.ts';
import { words as dashboard } from '../../web/src/console/features/home/words.ts';
import { words } from '../../web/src/console/features/lost-changes/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { create, unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

let database: EarlierDatabase;

const { journey } = useOwnServer({
  async startDatabase() {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-lost-changes-'));
    await chmod(folder, 0o711);
    const embedded = await startEmbedded(folder);
    const setup = new pg.Client({ connectionString: embedded.setupUrl });
    await setup.connect();
    await setup.query(`create database app owner ${APPLICATION_ROLE}`);
    await setup.end();
    database = await createEarlierDatabase({
      url: databaseAt(embedded.url, 'app'),
      setupUrl: databaseAt(embedded.setupUrl, 'app'),
      drop: () => embedded.stop(),
    });
    return {
      url: database.url,
      async stop() {
        await database.drop();
        await rm(folder, { recursive: true });
      },
    };
  },
});

/** The journal compares itself with the database every 30 seconds. */
const LISTED = { timeout: 150_000, interval: 500 };

journey(
  'lists the changes that a failover lost, makes one again and settles another',
  async (open, { admin }) => {
    const [again, dropped] = [unique('again'), unique('dropped')];
    await database.remember();
    await expect.poll(async () => (await admin.get('assets/labels/')).status, LISTED).toBe(200);
    for (const name of [again, dropped])
      await create(admin, 'assets/labels/', { name, value: 'lost' });
    await database.goBack();
    const lost = async () =>
      (await admin.get<{ count?: number }>('audits/lost-changes/?limit=1')).body.count;
    await expect.poll(lost, LISTED).toBe(2);

    const visitor = await open({ language: 'en' });
    const view = new ConsolePage(visitor);
    await signIn(visitor, ADMIN, '/ui/dashboard');
    await view.main.getByRole('link', { name: view.say(home.lostChanges, { count: 2 }) }).click();
    await view.row(dropped).waitFor();
    expect(await problemsOf(visitor.page, 'lost changes')).toEqual([]);

    await view
      .row(again)
      .getByRole('button', { name: view.say(words.again) })
      .click();
    await view.dialog.getByRole('button', { name: view.say(words.again), exact: true }).click();
    await view.row(again).waitFor({ state: 'detached' });
    const labels = async (name: string) =>
      (await admin.get<{ count: number }>(`assets/labels/?name=${name}&limit=1`)).body.count;
    expect([await labels(again), await labels(dropped)]).toEqual([1, 0]);

    await view
      .row(dropped)
      .getByRole('button', { name: view.say(words.settle) })
      .click();
    await view.dialog.getByLabel(view.say(words.note)).fill('No longer needed');
    await view.dialog.getByRole('button', { name: view.say(words.settle), exact: true }).click();
    await view.row(dropped).waitFor({ state: 'detached' });
    expect(await labels(dropped)).toBe(0);
    const { body: rows } = await admin.get<Page<Json>>('audits/lost-changes/?limit=9');
    expect(rows.results.map(({ resource, note }) => [resource, note]).sort()).toEqual([
      [again, view.say(words.madeAgain)],
      [dropped, 'No longer needed'],
    ]);
    await visitor.page.goto(new URL('/ui/dashboard', visitor.page.url()).href);
    await view.main.getByText(view.say(dashboard.attention), { exact: true }).waitFor();
    expect(
      await view.main.getByRole('link', { name: view.say(home.lostChanges, { count: 2 }) }).count(),
    ).toBe(0);
  },
  300_000,
);
