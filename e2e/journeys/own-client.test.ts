import { say } from '@sallyport/contract';
import { afterAll, beforeAll, expect } from 'vitest';
import { startClient } from '../../server/src/testing/databases/client-programs.ts';
import { type Mariadb, startMariadb } from '../../server/src/testing/databases/mariadb.ts';
import { words } from '../../web/src/console/features/app-permissions/own-client/words.ts';
import { problemsOf } from '../harness/axe.ts';
import { buildDatabase, buildPerson } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { signIn } from '../pages/sign-in-page.ts';

const PASSWORD = 'Vault-Secret-82';

const { journey } = useOwnServer({ mysql: true });
let mariadb: Mariadb;
beforeAll(async () => {
  mariadb = await startMariadb();
  mariadb.sql(
    `create user shopper@'%' identified by '${PASSWORD}'; grant all on shop.* to shopper@'%'`,
  );
});
afterAll(() => mariadb?.stop());

journey(
  'creates a database password by keyboard in both languages, which works as shown and differs from the real one',
  async (open, { admin }) => {
    for (const language of ['en', 'zh'] as const) {
      const person = await buildPerson(admin);
      const { host, port } = mariadb;
      const target = { type: 'mariadb', host, port, password: PASSWORD } as const;
      const { name } = (await buildDatabase(admin, person, target)).app;
      const visitor = await open({ language });
      const { page } = visitor;
      await signIn(visitor, person, '/ui/apps/database');
      const title = say(words.openFor, language, { name });
      await page.getByRole('button', { name: say(words.openNamed, language, { name }) }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByRole('button', { name: words.make[language] }).waitFor();
      expect(await problemsOf(page, `own client, before (${language})`)).toEqual([]);
      await dialog.getByRole('button', { name: words.make[language] }).focus();
      await page.keyboard.press('Enter');
      await dialog.getByRole('status').waitFor();
      expect(await problemsOf(page, `own client (${language})`)).toEqual([]);
      const fact = async (label: string) =>
        (
          (await dialog
            .getByText(label, { exact: true })
            .locator('xpath=following-sibling::*[1]/*[1]')
            .textContent()) ?? ''
        ).trim();
      const [password, command] = [
        await fact(words.password[language]),
        await fact(say(words.command, language, { name: 'mariadb' })),
      ];
      expect(await dialog.textContent()).not.toContain(PASSWORD);
      // Run the command as displayed. A test cannot type at its password prompt, so a variable
      // provides the password.
      const [program = '', ...shown] = command.split(' ').filter((word) => word !== '--password');
      const { out, err } = await startClient(
        program,
        [
          '--no-defaults',
          ...shown,
          '--batch',
          '--skip-column-names',
          '-e',
          'select current_user()',
        ],
        {
          MYSQL_PWD: password,
        },
      ).result;
      expect([out, err]).toEqual(['shopper@%\n', '']);
    }
  },
);
