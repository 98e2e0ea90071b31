// npm run screenshots [-- FOLDER]: pictures of every page of the product with sample data, and the
// pictures of the README. npm run screenshots -- --documents: only the latter.
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from '../server/src/testing/client.ts';
import { launchChromium } from './harness/browser.ts';
import { Server } from './harness/server.ts';
import { guidePictures } from './pictures/guide-pictures.ts';
import { DEMO, type Look, Photographer } from './pictures/photographer.ts';
import { adminScenes } from './pictures/scenes.ts';

const IMAGES = resolve(import.meta.dirname, '../docs/images');
const LARGEST_BYTES = 200 * 1024;
const DESKTOP = { width: 1440, height: 900 };
/** Smaller, so that words can be read in the width of a guide. */
const GUIDE = { width: 1100, height: 760 };
const SMALLER = [
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;
const LOOKS: readonly Omit<Look, 'size'>[] = [
  { language: 'en', theme: 'light' },
  { language: 'en', theme: 'dark' },
  { language: 'zh', theme: 'light' },
  { language: 'zh', theme: 'dark' },
];

/** From now on the sample auditor waits for the administrator. */
async function confirmSignInsOfAuditor(admin: Client): Promise<void> {
  const { id: reviewer } = (await admin.get<{ id: string }>('users/profile/')).body;
  const [auditor] = (await admin.get<{ id: string }[]>('users/users/?username=auditor')).body;
  await admin.patch('settings/setting/', { security: { LOGIN_CONFIRM_ENABLE: true } });
  await admin.patch(`authentication/login-confirm-settings/${auditor?.id}/`, {
    reviewers: [reviewer],
  });
}

/** Puts a picture into the documents, where it must stay small. */
function publish(picture: string | undefined, name: string): void {
  if (!picture) throw new Error(`${name} was not photographed`);
  if (statSync(picture).size > LARGEST_BYTES)
    throw new Error(`${name} is larger than ${LARGEST_BYTES} bytes`);
  mkdirSync(IMAGES, { recursive: true });
  copyFileSync(picture, join(IMAGES, name));
}

/** Puts a picture into the guides of a language. */
function publishSmall(picture: Buffer, name: string, language: string): void {
  const folder = join(IMAGES, language);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.webp`), picture);
}

const folderName = process.argv.slice(2).find((word) => !word.startsWith('--'));
const onlyDocuments = process.argv.includes('--documents');
const folder = folderName
  ? resolve(folderName)
  : await mkdtemp(join(tmpdir(), 'sallyport-pictures-'));
mkdirSync(folder, { recursive: true });
const server = await Server.launch({ demo: true });
const browser = await launchChromium();
const ended: (() => Promise<void>)[] = [];
try {
  const photographer = new Photographer(browser, server, folder);
  const admin = await server.signIn();
  const scenes = await adminScenes(admin);
  const guide = await guidePictures(admin, await server.signIn(DEMO), scenes);
  ended.push(guide.stop);
  await confirmSignInsOfAuditor(admin);
  const keys = scenes.filter(({ isKey }) => isKey);
  for (const language of ['en', 'zh'] as const) {
    const look = { language, theme: 'light', size: GUIDE } as const;
    for (const [name, picture] of await photographer.guide(look, guide.pictures))
      publishSmall(picture, name, language);
    publishSmall(
      await photographer.small(await photographer.waitingPage(look)),
      'sign-in-waits',
      language,
    );
  }
  publish(
    await photographer.worker({ language: 'en', theme: 'dark', size: DESKTOP }),
    'terminal.png',
  );
  for (const { language, theme } of onlyDocuments ? [] : LOOKS) {
    for (const size of [DESKTOP, ...SMALLER]) {
      const look = { language, theme, size };
      await photographer.signInPage(look);
      await photographer.waitingPage(look);
      await photographer.administrator(look, size === DESKTOP ? scenes : keys);
      await photographer.worker(look);
    }
  }
} finally {
  await browser.close();
  await server.stop();
  for (const end of ended) await end();
}
process.stdout.write(`The pictures are in ${folder}, those of the documents in ${IMAGES}\n`);
