import {
  type DirectoryTest,
  describePasswordEnd,
  ERRORS,
  type Fields,
  integer,
  type Language,
  type LocalText,
  SETTING_CATEGORIES,
  say,
  secret,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { systemCaller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { readAttributeMap } from '../../platform/directory/connection.ts';
import { type CheckedPerson, checkPerson, listPeople } from '../../platform/directory/directory.ts';
import {
  type Authorities,
  configOf,
  type LdapForm,
  savedForm,
} from '../../platform/directory/saved-config.ts';
import { DirectoryError, type DirectoryStep, type Traced } from '../../platform/directory/trace.ts';
import { type AppError, describeProblem, invalid, Rejected } from '../../platform/errors.ts';
import { isSamePlace, type SettingsService, SUPER } from '../../platform/settings/service.ts';
import type { Writer } from '../../resources/write/writer.ts';
import { trySignInOf } from '../identity/index.ts';
import { inWords, textOf } from './refusals.ts';

const LABELS: Readonly<Record<DirectoryStep, LocalText>> = {
  settings: { en: 'Settings', zh: '设置' },
  connect: { en: 'Connection', zh: '连接服务器' },
  tls: { en: 'Encryption', zh: '加密连接' },
  bind: { en: 'Bind', zh: '绑定 DN' },
  search: { en: 'Search', zh: '搜索' },
  match: { en: 'Match', zh: '匹配用户' },
  user_bind: { en: 'User password', zh: '验证用户密码' },
  account: { en: 'Account', zh: '本系统账号' },
};

/** The steps of a test with their labels. */
function showSteps(steps: readonly Traced[], language: Language): DirectoryTest['steps'] {
  return steps.map(({ step, ok, detail, milliseconds }) => ({
    step,
    label: say(LABELS[step], language),
    ok,
    detail: ok ? detail : textOf(detail, language),
    milliseconds,
  }));
}

/**
 * Converts a failure of the directory to an error with the failed step. Returns other errors
 * unchanged.
 */
function refusalOf(error: unknown, language: Language): unknown {
  if (!(error instanceof DirectoryError)) return error;
  const params = { step: say(LABELS[error.step], language), reason: inWords(error, language) };
  return new Rejected('directory_failed', params, { steps: showSteps(error.steps, language) });
}

/** Returns the error of a sign-in that fails after the directory confirmed the password. */
function refusalOfAccount(
  { code, params }: AppError,
  steps: readonly Traced[],
  language: Language,
): Rejected {
  const reason = describeProblem({ code, params }, language);
  const last: Traced = { step: 'account', ok: false, detail: reason, milliseconds: 0 };
  return new Rejected(
    'directory_failed',
    { step: say(LABELS.account, language), reason },
    { steps: showSteps([...steps, last], language) },
  );
}

const DAY_SECONDS = 86_400;

const FORM = SETTING_CATEGORIES.ldap.fields;
const LOGIN = {
  username: text({ label: { en: 'Username', zh: '用户名' }, max: 128 }),
  password: secret({ label: { en: 'Password', zh: '密码' }, max: 1024, required: true }),
};

const TESTED = samples<DirectoryTest | string>(
  {
    msg: '2000 users were found.',
    steps: [
      {
        step: 'connect',
        label: 'Connection',
        ok: true,
        detail: 'ldap.example.com:389',
        milliseconds: 3,
      },
    ],
  },
  '2000 users were found.',
);

/** The entered password, or the stored one if it belongs to the same directory and encryption. */
function passwordOf(form: LdapForm, saved: LdapForm): string {
  const stored = saved.AUTH_LDAP_BIND_PASSWORD;
  if (form.AUTH_LDAP_BIND_PASSWORD !== '' || stored === '') return form.AUTH_LDAP_BIND_PASSWORD;
  // Otherwise an administrator could send the stored secret to another directory.
  if (!isSamePlace('AUTH_LDAP_BIND_PASSWORD', { ...saved }, { ...form }))
    throw invalid('AUTH_LDAP_BIND_PASSWORD', 'password_for_other_server');
  return stored;
}

const DETAIL: Fields = {
  detail: integer({
    label: { en: 'With detail', zh: '返回详情' },
    help: {
      en: '1: an object with the steps. Omitted: one sentence.',
      zh: '1：返回包含步骤的对象；省略：一句话。',
    },
    required: false,
  }),
};

/**
 * Answers with the steps if `detail=1`. Otherwise answers one sentence as JSON text, also for a
 * failure, as existing clients expect.
 */
function withDetail(
  test: (context: Context) => Promise<DirectoryTest>,
): (context: Context) => Promise<DirectoryTest | string> {
  return async (context) => {
    if (context.query.get('detail') === '1') return test(context);
    context.reply.header('content-type', 'application/json; charset=utf-8');
    try {
      return JSON.stringify((await test(context)).msg);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      context.reply.code(400).header('x-error-code', error.code);
      return JSON.stringify(
        describeProblem({ code: error.code, params: error.params }, context.language),
      );
    }
  };
}

interface TestOptions {
  readonly settings: SettingsService;
  readonly authorities: Authorities;
  readonly db: Db;
  readonly accounts: () => Writer;
}

/** Returns the sentences about a password that the directory accepts for a limited time. */
function passwordNotes({ graceLeft, expiresIn }: CheckedPerson['password'], language: Language) {
  const daysLeft = expiresIn === undefined ? null : Math.ceil(expiresIn / DAY_SECONDS);
  return describePasswordEnd({ signInsLeft: graceLeft ?? null, daysLeft }, language);
}

const answer = (msg: string, steps: readonly Traced[], language: Language): DirectoryTest => ({
  msg,
  steps: showSteps(steps, language),
});

/** Tests the LDAP settings with the steps of a sign-in, and reports each step. */
export function mountLdapTests(app: FastifyInstance, options: TestOptions): void {
  const { settings, authorities } = options;

  route(app, {
    method: 'POST',
    url: '/api/v1/settings/ldap/testing/config/',
    access: SUPER,
    area: 'security',
    summary: 'Read the directory with the given values; a blank password means the stored one.',
    body: FORM,
    answer: TESTED,
    query: DETAIL,
    handler: withDetail(async (context): Promise<DirectoryTest> => {
      const { language } = context;
      const values = readBody(context, FORM);
      const form: LdapForm = {
        AUTH_LDAP_SERVER_URI: values.AUTH_LDAP_SERVER_URI,
        AUTH_LDAP_START_TLS: values.AUTH_LDAP_START_TLS === true,
        AUTH_LDAP_BIND_DN: values.AUTH_LDAP_BIND_DN ?? '',
        AUTH_LDAP_BIND_PASSWORD: values.AUTH_LDAP_BIND_PASSWORD ?? '',
        AUTH_LDAP_SEARCH_OU: values.AUTH_LDAP_SEARCH_OU ?? '',
        AUTH_LDAP_SEARCH_FILTER: values.AUTH_LDAP_SEARCH_FILTER,
        AUTH_LDAP_USER_ATTR_MAP: values.AUTH_LDAP_USER_ATTR_MAP,
      };
      if (!readAttributeMap(form.AUTH_LDAP_USER_ATTR_MAP))
        throw invalid('AUTH_LDAP_USER_ATTR_MAP', 'directory_attribute_map');
      const password = passwordOf(form, savedForm(settings));
      try {
        const { result: found, steps } = await listPeople(
          configOf({ ...form, AUTH_LDAP_BIND_PASSWORD: password }, authorities),
        );
        const count = say(
          {
            en: '{count, plural, one {# user was} other {# users were}} found.',
            zh: '匹配到 {count, number} 个用户。',
          },
          language,
          {
            count: found.people.length,
          },
        );
        return answer(
          values.AUTH_LDAP === true
            ? count
            : `${count} ${say(ERRORS.directory_disabled, language)}`,
          steps,
          language,
        );
      } catch (error) {
        throw refusalOf(error, language);
      }
    }),
  });
  mountLoginTest(app, options);
}

/** Tests a username and a password like a sign-in, without one. */
function mountLoginTest(
  app: FastifyInstance,
  { settings, authorities, db, accounts }: TestOptions,
): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/settings/ldap/testing/login/',
    access: SUPER,
    area: 'security',
    summary:
      'Check a username and a password with the saved settings, like a sign-in, without signing in.',
    body: LOGIN,
    answer: TESTED,
    query: DETAIL,
    handler: withDetail(async (context): Promise<DirectoryTest> => {
      const { language } = context;
      const { username, password } = readBody(context, LOGIN);
      if (!settings.get('AUTH_LDAP')) throw new Rejected('directory_disabled');
      try {
        const { result: found, steps } = await checkPerson(
          configOf(savedForm(settings), authorities),
          username,
          password,
        );
        const refusal = await trySignInOf(found, {
          username,
          source: 'ldap',
          db,
          settings,
          writer: accounts(),
          caller: systemCaller('LDAP', context.actor.remoteAddress),
        });
        if (refusal) throw refusalOfAccount(refusal, steps, language);
        const message = say({ en: '{dn} can sign in.', zh: '{dn} 登录成功。' }, language, {
          dn: found.dn,
        });
        const notes = passwordNotes(found.password, language);
        return answer([message, notes].filter(Boolean).join(' '), steps, language);
      } catch (error) {
        throw refusalOf(error, language);
      }
    }),
  });
}
