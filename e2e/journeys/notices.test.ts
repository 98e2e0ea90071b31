import { expect } from 'vitest';
import { words as console } from '../../web/src/kit/page/words.ts';
import { words as steps } from '../../web/src/signin/steps/words.ts';
import { words as signIn } from '../../web/src/signin/words.ts';
import { problemsAndOtherTheme } from '../harness/axe.ts';
import { buildPerson } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { signInPage } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);
const { journey } = useOwnServer();

const TEXT = 'Authorised use only.\n仅限授权使用。';

journey(
  'shows a text before sign-in, which a user accepts once, and an announcement, which the user closes',
  async (open, { admin }) => {
    const person = await buildPerson(admin);
    const notices = {
      SIGN_IN_NOTICE: TEXT,
      SIGN_IN_NOTICE_ACCEPT: true,
      ANNOUNCEMENT: 'Maintenance on Sunday',
      ANNOUNCEMENT_LEVEL: 'critical',
      ANNOUNCEMENT_LINK: 'https://status.example.com/',
    };
    expect((await admin.patch('settings/setting/', { notices })).status).toBe(200);
    const visitor = await open({ language });
    const { page } = visitor;
    const form = signInPage(visitor);
    await form.open();
    const text = page.getByRole('region', { name: signIn.notice[language] });
    expect(await text.textContent()).toBe(TEXT);
    await form.submit(person);
    await page.getByRole('heading', { name: steps.noticeTitle[language] }).waitFor();
    expect(await text.textContent()).toBe(TEXT);
    expect(await problemsAndOtherTheme(page, 'notice')).toEqual([]);
    await page.getByRole('button', { name: steps.accept[language] }).click();
    await page.waitForURL(/\/ui\//);

    const line = page.getByRole('complementary', { name: console.announcement[language] });
    await line.getByText('Maintenance on Sunday').waitFor();
    const link = line.getByRole('link', { name: console.announcementMore[language] });
    expect(await link.getAttribute('href')).toBe('https://status.example.com/');
    expect(await problemsAndOtherTheme(page, 'notice')).toEqual([]);
    const closed = page.waitForResponse(/users\/preferences/);
    await line.getByRole('button').click();
    await closed;
    await line.waitFor({ state: 'detached' });

    const again = await open({ language });
    const other = signInPage(again);
    await other.open();
    await other.submit(person);
    await again.page.waitForURL(/\/ui\//);
    await again.page.getByRole('main').waitFor();
    expect(await again.page.getByText('Maintenance on Sunday').count()).toBe(0);
  },
);
