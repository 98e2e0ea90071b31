import { type DirectoryTest, ERRORS, type Fields, type Language, SETTING_CATEGORIES, say, secret, text } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { invalid, Refusal } from '../../http/problem.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { checkPerson, listPeople } from '../../platform/directory/directory.ts';
import type { Traced } from '../../platform/directory/trace.ts';
import type { SettingsService } from '../settings/service.ts';
import { SUPER } from '../settings/setting-routes.ts';
import { type Authorities, configOf, type LdapForm, readAttributeMap, savedForm } from './ldap-settings.ts';
import { refusalOf, showSteps } from './steps.ts';

const LOGIN: Fields = {
  username: text({ label: { en: 'Username', zh: '用户名' }, max: 128 }),
  password: { ...secret({ label: { en: 'Password', zh: '密码' }, max: 1024 }), required: true },
};

const TESTED = samples<DirectoryTest>({
  msg: '2000 people were found.',
  steps: [{ step: 'connect', label: 'Connection', ok: true, detail: 'ldap.example.com:389', milliseconds: 3 }],
});

/** The password that was typed; the stored one when none was, but only towards the directory it was stored for, and as well hidden on its way. */
function passwordOf(form: LdapForm, saved: LdapForm): string {
  const stored = saved.AUTH_LDAP_BIND_PASSWORD;
  if (form.AUTH_LDAP_BIND_PASSWORD !== '' || stored === '') return form.AUTH_LDAP_BIND_PASSWORD;
  const isSame = (['AUTH_LDAP_SERVER_URI', 'AUTH_LDAP_START_TLS', 'AUTH_LDAP_BIND_DN'] as const).every((name) => form[name] === saved[name]);
  // Otherwise whoever may change settings could have the secret sent to a directory of their own.
  if (!isSame) throw invalid('AUTH_LDAP_BIND_PASSWORD', 'password_for_other_server');
  return stored;
}

/** Trying out the LDAP settings: each step is told, and they are the steps of a sign-in. */
export function mountLdapTests(app: FastifyInstance, { settings, authorities }: { settings: SettingsService; authorities: Authorities }): void {
  const told = (msg: string, steps: readonly Traced[], language: Language): DirectoryTest => ({ msg, steps: showSteps(steps, language) });

  route(app, {
    method: 'POST',
    url: '/api/v1/settings/ldap/testing/config/',
    access: SUPER,
    summary: 'Read the directory by the values given; a blank password is the stored one.',
    body: SETTING_CATEGORIES.ldap.fields,
    answer: TESTED,
    async handler(context): Promise<DirectoryTest> {
      const { language } = context;
      const values = readBody(context);
      const form: LdapForm = {
        AUTH_LDAP_SERVER_URI: String(values.AUTH_LDAP_SERVER_URI),
        AUTH_LDAP_START_TLS: values.AUTH_LDAP_START_TLS === true,
        AUTH_LDAP_BIND_DN: String(values.AUTH_LDAP_BIND_DN ?? ''),
        AUTH_LDAP_BIND_PASSWORD: String(values.AUTH_LDAP_BIND_PASSWORD ?? ''),
        AUTH_LDAP_SEARCH_OU: String(values.AUTH_LDAP_SEARCH_OU ?? ''),
        AUTH_LDAP_SEARCH_FILTER: String(values.AUTH_LDAP_SEARCH_FILTER),
        AUTH_LDAP_USER_ATTR_MAP: values.AUTH_LDAP_USER_ATTR_MAP,
      };
      if (!readAttributeMap(form.AUTH_LDAP_USER_ATTR_MAP)) throw invalid('AUTH_LDAP_USER_ATTR_MAP', 'directory_attribute_map');
      const password = passwordOf(form, savedForm(settings));
      try {
        const { found, steps } = await listPeople(configOf({ ...form, AUTH_LDAP_BIND_PASSWORD: password }, authorities));
        const count = say({ en: '{count} people were found.', zh: '匹配到 {count} 个用户。' }, language, { count: found.length });
        return told(values.AUTH_LDAP === true ? count : `${count} ${say(ERRORS.directory_disabled, language)}`, steps, language);
      } catch (error) {
        throw refusalOf(error, language);
      }
    },
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/settings/ldap/testing/login/',
    access: SUPER,
    summary: 'Check a name and a password by the saved settings, the way a sign-in does, without signing in.',
    body: LOGIN,
    answer: TESTED,
    async handler(context): Promise<DirectoryTest> {
      const { language } = context;
      const { username, password } = readBody(context);
      if (!settings.get('AUTH_LDAP')) throw new Refusal(400, 'directory_disabled');
      try {
        const { found, steps } = await checkPerson(configOf(savedForm(settings), authorities), String(username), String(password));
        return told(say({ en: 'The sign-in of {dn} works.', zh: '{dn} 登录成功。' }, language, { dn: found.dn }), steps, language);
      } catch (error) {
        throw refusalOf(error, language);
      }
    },
  });
}
