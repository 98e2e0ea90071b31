import { SETTING_CATEGORIES, say } from '@sallyport/contract';
import { expect } from 'vitest';
import { startCasServer } from '../../server/src/testing/services/cas-server.ts';
import { startOpenidProvider } from '../../server/src/testing/services/openid-provider.ts';
import { startSamlProvider } from '../../server/src/testing/services/saml-provider.ts';
import {
  manyPeople,
  PEOPLE,
  passwordOf,
  READER,
  startSlapd,
} from '../../server/src/testing/services/slapd.ts';
import { words as openidWords } from '../../web/src/console/features/openid/words.ts';
import { words } from '../../web/src/console/features/settings/words.ts';
import { words as signInWords } from '../../web/src/signin/words.ts';
import { unique } from '../harness/build.ts';
import { useOwnServer } from '../harness/journey.ts';
import { languageOfFile } from '../harness/language.ts';
import { heardMessage } from '../harness/messages.ts';
import { ADMIN } from '../harness/server.ts';
import { ConsolePage } from '../pages/console-page.ts';
import { signIn } from '../pages/sign-in-page.ts';

const language = languageOfFile(import.meta.url);

const { journey } = useOwnServer();
const { cas, ldap, openid, saml, scim } = SETTING_CATEGORIES;
const MAP = '{"username": "uid", "name": "cn", "email": "mail"}';
const REFUSED = /^(400|409) (GET|POST) \/api\/v1\/settings\/ldap\//;

const SAID = {
  zh: {
    updated: '更新成功',
    matched: '匹配到 41 个用户。',
    works: '登录成功',
    imported: '新建 1 个，更新 0 个，拒绝 0 个。',
    refused: '该用户已不再使用第三方登录。',
  },
  en: {
    updated: 'Update success',
    matched: '41 users were found.',
    works: 'works.',
    imported: '1 created, 0 updated, 0 rejected.',
    refused: 'This account no longer signs in through the provider.',
  },
} as const;

journey(
  'tests a configured directory, imports a user from it, and signs the user in',
  async (open, { admin }) => {
    const chosen = unique('li.wei');
    const slapd = await startSlapd([
      ...manyPeople(40),
      { uid: chosen, cn: '李伟', mail: `${chosen}@example.com` },
    ]);
    try {
      const visitor = await open({ language });
      const view = new ConsolePage(visitor);
      visitor.watch.allow(REFUSED);
      await signIn(visitor, ADMIN, '/ui/settings');
      await visitor.page.getByRole('tab', { name: view.say(ldap.title), exact: true }).click();
      await view.field(ldap.fields.AUTH_LDAP_SERVER_URI.label).fill(slapd.url);
      await view.field(ldap.fields.AUTH_LDAP_BIND_DN.label).fill(READER.dn);
      const secret = view.main.getByRole('textbox', {
        name: view.say(ldap.fields.AUTH_LDAP_BIND_PASSWORD.label),
        exact: true,
      });
      await secret.fill('not it');
      await view
        .field(ldap.fields.AUTH_LDAP_SEARCH_OU.label)
        .fill(`${PEOPLE}|ou=contractors,dc=example,dc=com`);
      await view.field(ldap.fields.AUTH_LDAP_SEARCH_FILTER.label).fill('(uid=%(user)s)');
      await view.field(ldap.fields.AUTH_LDAP_USER_ATTR_MAP.label).fill(MAP);
      await view.button(words.testConnection).click();
      await view.main.getByRole('alert').getByText('Invalid Credentials').first().waitFor();
      await secret.fill(READER.password);
      await view.button(words.testConnection).click();
      await view.main.getByRole('status').getByText(SAID[language].matched).waitFor();
      await view.field(ldap.fields.AUTH_LDAP.label).check();
      await view.submit();
      await heardMessage(visitor.page, SAID[language].updated);

      await view.button(words.testLogin).click();
      await view.dialog
        .getByRole('textbox', { name: view.say(words.username), exact: true })
        .fill(chosen);
      await view.dialog
        .getByRole('textbox', { name: view.say(words.password), exact: true })
        .fill(passwordOf(chosen));
      await view.dialog
        .getByRole('button', { name: view.say(words.testLogin), exact: true })
        .click();
      await view.dialog.getByRole('status').getByText(SAID[language].works).waitFor();
      await visitor.page.keyboard.press('Escape');
      await view.dialog.waitFor({ state: 'detached' });

      await view.button(words.bulkImport).click();
      await view.dialog.getByRole('textbox').fill(chosen);
      const row = view.dialog.getByRole('row').filter({ hasText: chosen });
      await row.getByRole('checkbox').check();
      await view.dialog
        .getByRole('button', { name: view.say(words.importChosen, { count: 1 }), exact: true })
        .click();
      await view.dialog.getByText(SAID[language].imported).waitFor();

      const person = await open({ language });
      await signIn(person, { username: chosen, password: passwordOf(chosen) });
      const { body } = await admin.get<{ name: string; source: string }[]>(
        `users/users/?username=${chosen}`,
      );
      expect(body[0]).toMatchObject({ name: '李伟', source: 'ldap' });
    } finally {
      await admin.patch('settings/setting/', { AUTH_LDAP: false });
      await slapd.stop();
    }
  },
);

journey(
  'fills in a preset, tests the provider, signs a user in through it, and tells a rejected user why',
  async (open, { admin, server }) => {
    const provider = await startOpenidProvider(server.url);
    try {
      const username = unique('provided');
      provider.who = {
        sub: username,
        preferred_username: username,
        name: 'Zhang San',
        email: `${username}@example.com`,
        email_verified: true,
      };
      const administrator = await open({ language });
      administrator.watch.allow(/^400 POST \/api\/v1\/settings\/openid\/testing\//);
      const view = new ConsolePage(administrator);
      await signIn(administrator, ADMIN, '/ui/settings');
      await administrator.page
        .getByRole('tab', { name: view.say(openid.title), exact: true })
        .click();
      // A preset fills in the form; Enter is enough.
      await view.main.getByText('Keycloak', { exact: true }).click();
      await view.field(openidWords.presetRealm).fill(provider.issuer);
      await view.field(openidWords.presetRealm).press('Enter');
      await heardMessage(administrator.page, view.say(openidWords.presetFilled));
      await view.field(openid.fields.AUTH_OPENID_CLIENT_ID.label).fill(provider.clientId);
      const secret = view.main.getByRole('textbox', {
        name: view.say(openid.fields.AUTH_OPENID_CLIENT_SECRET.label),
        exact: true,
      });
      await secret.fill('not it');
      await view.button(words.testConnection).click();
      await view.main.getByRole('alert').getByText('invalid_client').first().waitFor();
      await secret.fill(provider.secret);
      await view.button(words.testConnection).click();
      await view.main
        .getByRole('status')
        .getByText(`${server.url.replace(/\/$/, '')}/core/auth/openid/callback/`)
        .waitFor();
      await view.field(openid.fields.AUTH_OPENID.label).check();
      await view.submit();
      await heardMessage(administrator.page, SAID[language].updated);
      const visitor = await open({ language });
      const go = async () => {
        await visitor.page.goto('/core/auth/login/');
        await visitor.page
          .getByRole('link', {
            name: say(signInWords.withProvider, language, { name: 'Keycloak' }),
            exact: true,
          })
          .click();
      };
      await go();
      await visitor.page.waitForURL((url) => url.pathname.startsWith('/ui/'));
      const users = await admin.get<{ id: string; source: string }[]>(
        `users/users/?username=${username}`,
      );
      expect(users.body[0]).toMatchObject({ source: 'openid' });

      await admin.patch(`users/users/${users.body[0]?.id}/`, { source: 'local' });
      await go();
      await visitor.page.getByRole('alert').getByText(SAID[language].refused).waitFor();
    } finally {
      await admin.patch('settings/setting/', { AUTH_OPENID: false });
      await provider.stop();
    }
  },
);

journey(
  'tests a configured SAML provider, and signs a user in and out through it',
  async (open, { admin, server }) => {
    const provider = await startSamlProvider(server.url);
    try {
      const username = unique('asserted');
      provider.who = {
        nameId: username,
        attributes: { displayName: 'Zhang San', email: `${username}@example.com` },
      };
      const administrator = await open({ language });
      administrator.watch.allow(/^400 POST \/api\/v1\/settings\/saml\/testing\//);
      const view = new ConsolePage(administrator);
      await signIn(administrator, ADMIN, '/ui/settings');
      await administrator.page
        .getByRole('tab', { name: view.say(saml.title), exact: true })
        .click();
      await view.field(saml.fields.AUTH_SAML_NAME.label).fill('Example');
      await view.field(saml.fields.AUTH_SAML_METADATA.label).fill('<a/>');
      await view.button(words.testConnection).click();
      await view.main.getByRole('alert').getByText('it is no SAML metadata').first().waitFor();
      await view.field(saml.fields.AUTH_SAML_METADATA.label).fill('');
      await view.field(saml.fields.AUTH_SAML_METADATA_URL.label).fill(provider.metadataUrl);
      await view.button(words.testConnection).click();
      await view.main.getByRole('status').getByText('CN=Test provider').waitFor();
      await view.field(saml.fields.AUTH_SAML.label).check();
      await view.submit();
      await heardMessage(administrator.page, SAID[language].updated);

      const visitor = await open({ language });
      await visitor.page.goto('/core/auth/login/');
      await visitor.page
        .getByRole('link', {
          name: say(signInWords.withProvider, language, { name: 'Example' }),
          exact: true,
        })
        .click();
      await visitor.page.waitForURL((url) => url.pathname.startsWith('/ui/'));
      const users = await admin.get<{ source: string; name: string }[]>(
        `users/users/?username=${username}`,
      );
      expect(users.body[0]).toMatchObject({ source: 'saml', name: 'Zhang San' });
      await visitor.page.goto('/core/auth/logout/');
      await visitor.page.waitForURL((url) => url.pathname === '/core/auth/login/');
      expect(provider.received.at(-1)).toContain('LogoutRequest');

      // The accounts of a provider that changed its name are unlinked from the old one.
      await administrator.page.reload();
      const unlink = view.main.getByRole('button', {
        name: new RegExp(`^${view.say(words.unlink)}: `),
      });
      await unlink.click();
      await view.dialog.getByRole('button', { name: view.say(words.unlink), exact: true }).click();
      await unlink.waitFor({ state: 'detached' });
    } finally {
      await admin.patch('settings/setting/', { AUTH_SAML: false });
      await provider.stop();
    }
  },
);

journey(
  'tests a configured CAS server, signs a user in through it, and creates and revokes a SCIM token',
  async (open, { admin, server }) => {
    const provider = await startCasServer();
    try {
      const username = unique('ticketed');
      provider.who = {
        user: username,
        attributes: { displayName: 'Zhang San', mail: `${username}@example.com` },
      };
      const administrator = await open({ language });
      administrator.watch.allow(/^400 POST \/api\/v1\/settings\/(cas|scim)\/testing\//);
      const view = new ConsolePage(administrator);
      await signIn(administrator, ADMIN, '/ui/settings');
      await administrator.page
        .getByRole('tab', { name: view.say(scim.title), exact: true })
        .click();
      const name = unique('provider');
      await view.main
        .getByRole('textbox', { name: view.say(words.tokenName), exact: true })
        .fill(name);
      await view.button(words.makeToken).click();
      const secret = view.main.getByText(/^sallyport_scim_[\w-]{43}$/);
      await secret.waitFor();
      // The token is still there after the form around it was saved.
      await view.field(scim.fields.AUTH_SCIM.label).check();
      await view.submit();
      await heardMessage(administrator.page, SAID[language].updated);
      await view.main
        .getByRole('button', { name: `${view.say(words.revoke)}: ${name}`, exact: true })
        .waitFor();
      await secret.waitFor();
      const token = await secret.textContent();
      const ask = () =>
        fetch(new URL('/scim/v2/Users', server.url), {
          headers: { authorization: `Bearer ${token}` },
        });
      await view.button(words.testConnection).click();
      await view.main.getByRole('status').getByText('/scim/v2/ServiceProviderConfig').waitFor();
      expect((await ask()).status).toBe(200);
      await view.main
        .getByRole('button', { name: `${view.say(words.revoke)}: ${name}`, exact: true })
        .click();
      await view.dialog.getByRole('button', { name: view.say(words.revoke), exact: true }).click();
      await view.main
        .getByRole('button', { name: `${view.say(words.revoke)}: ${name}`, exact: true })
        .waitFor({ state: 'detached' });
      expect((await ask()).status).toBe(401);

      await administrator.page.getByRole('tab', { name: view.say(cas.title), exact: true }).click();
      await view.field(cas.fields.AUTH_CAS_NAME.label).fill('Example');
      await view.field(cas.fields.AUTH_CAS_SERVER_URL.label).fill(`${provider.address}/wrong`);
      await view.button(words.testConnection).click();
      await view.main.getByRole('alert').getByText('HTTP 404').first().waitFor();
      await view.field(cas.fields.AUTH_CAS_SERVER_URL.label).fill(provider.address);
      await view.button(words.testConnection).click();
      await view.main
        .getByRole('status')
        .getByText(`${server.url.replace(/\/$/, '')}/core/auth/cas/callback/`)
        .waitFor();
      await view.field(cas.fields.AUTH_CAS.label).check();
      // The message of the previous save may still be visible.
      await Promise.all([
        administrator.page.waitForResponse(
          (response) => response.request().method() === 'PATCH' && response.ok(),
        ),
        view.submit(),
      ]);
      const visitor = await open({ language });
      await visitor.page.goto('/core/auth/login/');
      await visitor.page
        .getByRole('link', {
          name: say(signInWords.withProvider, language, { name: 'Example' }),
          exact: true,
        })
        .click();
      await visitor.page.waitForURL((url) => url.pathname.startsWith('/ui/'));
      const users = await admin.get<{ source: string; name: string }[]>(
        `users/users/?username=${username}`,
      );
      expect(users.body[0]).toMatchObject({ source: 'cas', name: 'Zhang San' });
    } finally {
      await admin.patch('settings/setting/', { AUTH_CAS: false, AUTH_SCIM: false });
      await provider.stop();
    }
  },
);
