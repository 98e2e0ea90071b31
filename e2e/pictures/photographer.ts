import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '@sallyport/contract';
import type { Browser, Page } from 'playwright-core';
import { DEMO_PASSWORD } from '../../demo/people/people.ts';
import { words as connectionWords } from '../../web/src/terminal/session/words.ts';
import { type Organization, Visitor } from '../harness/browser.ts';
import { ADMIN, type Server } from '../harness/server.ts';
import { isMissing } from '../pages/missing-page.ts';
import { replayPage } from '../pages/replay-page.ts';
import { signIn, signInPage } from '../pages/sign-in-page.ts';
import { connectTo } from '../pages/terminal-page.ts';
import type { GuidePicture } from './guide-pictures.ts';
import type { Scene } from './scenes.ts';

/** One look of the product. */
export interface Look {
  readonly language: Language;
  readonly theme: 'light' | 'dark';
  readonly size: { readonly width: number; readonly height: number };
}

const SETTLE_MILLISECONDS = 250;
/** Some pages ask their server all the time. */
const IDLE_MILLISECONDS = 8_000;
const LARGEST_GUIDE_BYTES = 80 * 1024;
const QUALITIES = [0.85, 0.75, 0.6, 0.45] as const;
/** Whose sign-ins are confirmed while pictures are taken. */
const AUDITOR = { username: 'auditor', password: DEMO_PASSWORD };
/** The sample person who works. */
export const DEMO = { username: 'demo', password: DEMO_PASSWORD };

/** Commands in the picture of the terminal: calm, and recognizable at a glance. */
const TYPED = ['cat README.txt', 'ls -la', 'df -h', 'uptime'];

/** In the page: a picture as WebP. */
async function encode([source, quality]: readonly [string, number]): Promise<string> {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
  return canvas.toDataURL('image/webp', quality);
}

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: IDLE_MILLISECONDS }).catch(() => undefined);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await page.waitForTimeout(SETTLE_MILLISECONDS);
}

/** Takes pictures of a running demo into a folder. */
export class Photographer {
  readonly #browser: Browser;
  readonly #server: Server;
  readonly #folder: string;

  constructor(browser: Browser, server: Server, folder: string) {
    this.#browser = browser;
    this.#server = server;
    this.#folder = folder;
  }

  #open(look: Look, organization?: Organization): Promise<Visitor> {
    return Visitor.open(this.#browser, this.#server.url, { ...look, organization });
  }

  async #shoot(page: Page, name: string, { language, theme, size }: Look): Promise<string> {
    await settle(page);
    if (await isMissing(page))
      throw new Error(`there is no page for the picture ${name}: ${page.url()}`);
    const path = join(this.#folder, `${name}.${size.width}.${language}.${theme}.png`);
    await page.screenshot({ path });
    return path;
  }

  /** The sign-in page itself. */
  async signInPage(look: Look): Promise<void> {
    const visitor = await this.#open(look);
    await visitor.page.goto('/core/auth/login/');
    await this.#shoot(visitor.page, 'sign-in', look);
    await visitor.context.close();
  }

  /**
   * Takes the page on which a sign-in waits for a reviewer; leaving the page cancels it. Returns
   * the path of the picture.
   */
  async waitingPage(look: Look): Promise<string> {
    const visitor = await this.#open(look);
    await signInPage(visitor).open();
    await signInPage(visitor).submit(AUDITOR);
    await visitor.page.getByRole('status').waitFor();
    const path = await this.#shoot(visitor.page, 'sign-in-waits', look);
    await visitor.context.close();
    return path;
  }

  /** Pages of the administrator; returns their paths by name. */
  async administrator(look: Look, scenes: readonly Scene[]): Promise<Map<string, string>> {
    const visitor = await this.#open(look);
    const { page } = visitor;
    await signIn(visitor, ADMIN);
    const paths = new Map<string, string>();
    for (const { name, address } of scenes) {
      await page.goto(address);
      if (name === 'replay') await this.#endOfReplay(page, look.language);
      paths.set(name, await this.#shoot(page, name, look));
    }
    await page.goto('/ui/dashboard');
    await settle(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    paths.set('palette', await this.#shoot(page, 'palette', look));
    await visitor.context.close();
    return paths;
  }

  /** Pictures for the guides, small ones, by name. */
  async guide(look: Look, pictures: readonly GuidePicture[]): Promise<Map<string, Buffer>> {
    const taken = new Map<string, Buffer>();
    const groups = Map.groupBy(pictures, (one) => `${one.who} ${one.organization?.id ?? ''}`);
    for (const group of groups.values()) {
      const [{ who, organization }] = group as [GuidePicture];
      const visitor = await this.#open(look, organization);
      const { page } = visitor;
      await signIn(visitor, who === 'administrator' ? ADMIN : DEMO);
      for (const { name, address, prepare } of group) {
        await page.goto(address);
        await page.getByRole('main').first().waitFor();
        await prepare?.(page, look.language);
        taken.set(name, await this.small(await this.#shoot(page, name, look)));
      }
      await visitor.context.close();
    }
    return taken;
  }

  /**
   * Encodes a picture as WebP in the browser, with decreasing quality until it is small enough for
   * a guide.
   */
  async small(path: string): Promise<Buffer> {
    const page = await this.#browser.newPage();
    try {
      const source = `data:image/png;base64,${(await readFile(path)).toString('base64')}`;
      for (const quality of QUALITIES) {
        const encoded = await page.evaluate(encode, [source, quality] as const);
        const picture = Buffer.from(encoded.slice(encoded.indexOf(',') + 1), 'base64');
        if (picture.length <= LARGEST_GUIDE_BYTES) return picture;
      }
      throw new Error(`${path} is larger than ${LARGEST_GUIDE_BYTES} bytes`);
    } finally {
      await page.close();
    }
  }

  async #endOfReplay(page: Page, language: Language): Promise<void> {
    await replayPage(page, language).play.waitFor();
    await page.keyboard.press('9');
  }

  /** The person who works: their assets, and a terminal. */
  async worker(look: Look): Promise<string> {
    const visitor = await this.#open(look);
    const { page } = visitor;
    const demo = await this.#server.signIn(DEMO);
    const { body } = await demo.get<{ id: string; hostname: string }[]>(
      'perms/users/assets/?search=demo-shell',
    );
    const [asset] = body;
    if (!asset) throw new Error('the demo grants no shell');
    await signIn(visitor, DEMO, '/ui/');
    await this.#shoot(page, 'my-assets', look);
    await page.goto('/ui/emergency-access');
    await this.#shoot(page, 'emergency-open', look);
    await page.goto('/luna/');
    await this.#shoot(page, 'terminal-empty', look);
    const terminal = await connectTo(page, look.language, { id: asset.id, name: asset.hostname });
    const choice = page
      .getByRole('region', { name: connectionWords.chooseAccount[look.language] })
      .getByRole('button')
      .first();
    await terminal.screen.waitFor();
    await settle(page);
    if (await choice.isVisible()) await choice.click();
    await terminal.ready();
    for (const line of TYPED) {
      await terminal.run(line);
      await page.waitForTimeout(SETTLE_MILLISECONDS);
    }
    const path = await this.#shoot(page, 'terminal', look);
    await visitor.context.close();
    return path;
  }
}
