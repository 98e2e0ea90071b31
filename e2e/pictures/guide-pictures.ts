import { spawn } from 'node:child_process';
import { type Language, say } from '@sallyport/contract';
import type { Page } from 'playwright-core';
import type { Client } from '../../server/src/testing/client.ts';
import { startXvnc } from '../../server/src/testing/desktops/xvnc.ts';
import { words as batch } from '../../web/src/console/features/ops/words.ts';
import { words as query } from '../../web/src/terminal/query/words.ts';
import type { Organization } from '../harness/browser.ts';
import { replayPage } from '../pages/replay-page.ts';
import { controlPictures } from './control-pictures.ts';
import type { Scene } from './scenes.ts';

/** One picture of the guides: a page of a user, and the actions before the picture is taken. */
export interface GuidePicture {
  readonly name: string;
  readonly who: 'administrator' | 'worker';
  readonly address: string;
  /** Default: the default organization. */
  readonly organization?: Organization;
  readonly prepare?: (page: Page, language: Language) => Promise<void>;
}

const STATEMENT = 'select * from orders order by id desc limit 20';
const COMMAND = 'uptime';

/** Scenes of administrators: the picture has the name of the scene. */
const OF_ADMINISTRATOR = [
  'asset-access',
  'dashboard',
  'ticket-request',
  'ticket-emergency',
  'cloud-task-detail',
  'event-receiver-create',
  'command-filter-rules',
  'plan-detail',
  'gather-task-detail',
  'task-execution',
  'session-detail',
  'remote-app-create',
] as const;

const SETTINGS = { saml: 'Saml', radius: 'Radius', cas: 'Cas', scim: 'Scim' } as const;

async function runStatement(page: Page, language: Language): Promise<void> {
  const editor = page.getByRole('textbox', { name: say(query.editor, language), exact: true });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(STATEMENT);
  await page.keyboard.press('Control+Shift+Enter');
  await page.getByRole('gridcell').first().waitFor();
}

async function writeBatch(page: Page, language: Language): Promise<void> {
  // The assets below a node are read first, and chosen then.
  await page.getByRole('checkbox').nth(1).click();
  await page.getByRole('checkbox', { checked: true }).first().waitFor();
  await page.getByRole('textbox', { name: say(batch.command, language) }).fill(COMMAND);
}

async function endOfReplay(page: Page, language: Language): Promise<void> {
  await replayPage(page, language).play.waitFor();
  await page.keyboard.press('9');
}

const isDrawn = () => [...document.querySelectorAll('canvas')].some(({ width }) => width > 2);

/** The desktop of a real server for the sample person. */
async function madeDesktop(
  admin: Client,
): Promise<{ readonly asset: string; readonly stop: () => Promise<void> }> {
  const xvnc = await startXvnc({ size: '1280x720' });
  await xvnc.fill('#2f5d62');
  const clock = spawn('xclock', ['-display', xvnc.display, '-geometry', '360x360+460+180'], {
    stdio: 'ignore',
  });
  const create = async (path: string, body: Readonly<Record<string, unknown>>) => {
    const answer = await admin.post<{ id: string }>(path, body);
    if (answer.status !== 201)
      throw new Error(`making a desktop was answered with ${answer.status} ${answer.text}`);
    return answer.body.id;
  };
  const [person] = (await admin.get<{ id: string }[]>('users/users/?username=demo')).body;
  const asset = await create('assets/assets/', {
    hostname: 'design-desktop',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`vnc/${xvnc.port}`],
  });
  const account = await create('assets/system-users/', {
    name: 'Screen',
    username: '',
    protocol: 'vnc',
    password: xvnc.password,
    auto_push: false,
  });
  await create('perms/asset-permissions/', {
    name: 'Design desktop',
    users: [person?.id],
    assets: [asset],
    system_users: [account],
  });
  return {
    asset,
    async stop() {
      clock.kill();
      await xvnc.stop();
    },
  };
}

/** All pictures of the guides, and what ends the servers that were started for them. */
export async function guidePictures(
  admin: Client,
  worker: Client,
  scenes: readonly Scene[],
): Promise<{ readonly pictures: readonly GuidePicture[]; readonly stop: () => Promise<void> }> {
  const desktop = await madeDesktop(admin);
  const control = await controlPictures(admin, worker);
  const addressOf = (name: string) => {
    const scene = scenes.find((one) => one.name === name);
    if (!scene) throw new Error(`there is no scene ${name}`);
    return scene.address;
  };
  const [shell] = (await worker.get<{ id: string }[]>('perms/users/assets/?search=demo-shell'))
    .body;
  const [shop] = (await worker.get<{ id: string }[]>('perms/users/database-apps/?search=demo-shop'))
    .body;
  const pictures: GuidePicture[] = [
    ...OF_ADMINISTRATOR.map((name) => ({
      name,
      who: 'administrator' as const,
      address: addressOf(name),
    })),
    ...Object.entries(SETTINGS).map(([name, tab]) => ({
      name: `settings-${name}`,
      who: 'administrator' as const,
      address: `/ui/settings?activeTab=${tab}`,
    })),
    { name: 'replay', who: 'administrator', address: addressOf('replay'), prepare: endOfReplay },
    { name: 'request-access', who: 'worker', address: '/ui/tickets/request-access' },
    { name: 'emergency-access', who: 'worker', address: '/ui/emergency-access' },
    { name: 'my-remote-apps', who: 'worker', address: '/ui/apps/remoteapp' },
    {
      name: 'batch-command',
      who: 'worker',
      address: '/ui/command-executions',
      prepare: writeBatch,
    },
    { name: 'file-manager', who: 'worker', address: `/koko/elfinder/sftp/${shell?.id}/` },
    {
      name: 'query',
      who: 'worker',
      address: `/luna/?type=database_app&login_to=${shop?.id}`,
      prepare: runStatement,
    },
    {
      name: 'desktop',
      who: 'worker',
      address: `/luna/?login_to=${desktop.asset}`,
      prepare: (page) => page.waitForFunction(isDrawn).then(() => undefined),
    },
  ];
  return {
    pictures: [...pictures, ...control.pictures],
    async stop() {
      await control.stop();
      await desktop.stop();
    },
  };
}
