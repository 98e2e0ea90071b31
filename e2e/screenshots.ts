// npm run screenshots [-- FOLDER]: pictures of every page of the product with sample data, and those that the README shows.
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launchChromium } from './harness/browser.ts';
import { Server } from './harness/server.ts';
import { type Look, Photographer } from './pictures/photographer.ts';
import { adminScenes } from './pictures/scenes.ts';

const IMAGES = resolve(import.meta.dirname, '../docs/images');
const LARGEST_BYTES = 300 * 1024;
const DESKTOP = { width: 1440, height: 900 };
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

/** Puts a picture into the documents, where it must stay small. */
function publish(picture: string | undefined, name: string): void {
  if (!picture) throw new Error(`${name} was not photographed`);
  if (statSync(picture).size > LARGEST_BYTES) throw new Error(`${name} is larger than ${LARGEST_BYTES} bytes`);
  mkdirSync(IMAGES, { recursive: true });
  copyFileSync(picture, join(IMAGES, name));
}

const folder = process.argv[2] ? resolve(process.argv[2]) : await mkdtemp(join(tmpdir(), 'sallyport-pictures-'));
mkdirSync(folder, { recursive: true });
const server = await Server.launch({ demo: true });
const browser = await launchChromium();
try {
  const photographer = new Photographer(browser, server, folder);
  const scenes = await adminScenes(await server.signIn());
  const keys = scenes.filter(({ isKey }) => isKey);
  for (const { language, theme } of LOOKS) {
    const look = { language, theme, size: DESKTOP };
    await photographer.door(look);
    const pages = await photographer.administrator(look, scenes);
    const terminal = await photographer.worker(look);
    if (language === 'en' && theme === 'light') publish(pages.get('assets'), 'console.png');
    if (language === 'en' && theme === 'dark') publish(terminal, 'terminal.png');
    for (const size of SMALLER) {
      const smaller = { language, theme, size };
      await photographer.door(smaller);
      await photographer.administrator(smaller, keys);
      await photographer.worker(smaller);
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
process.stdout.write(`The pictures are in ${folder}, those of the documents in ${IMAGES}\n`);
