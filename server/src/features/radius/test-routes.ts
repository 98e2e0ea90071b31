import { randomUUID } from 'node:crypto';
import {
  type Language,
  type LocalText,
  type RadiusTest,
  SETTING_CATEGORIES,
  say,
  secret,
  text,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../http/context.ts';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { invalid, Rejected } from '../../platform/errors.ts';
import { askRadius, type RadiusAnswer, RadiusUnanswered } from '../../platform/radius/client.ts';
import { isSamePlace, type SettingsService, SUPER } from '../../platform/settings/service.ts';
import { configOf, type RadiusForm, savedForm } from './radius-checker.ts';

const FORM = SETTING_CATEGORIES.radius.fields;
const LOGIN = {
  username: text({ label: { en: 'Username', zh: '用户名' }, max: 128 }),
  password: secret({ label: { en: 'Password', zh: '密码' }, max: 128, required: true }),
};

const LABELS: Readonly<Record<RadiusTest['steps'][number]['step'], LocalText>> = {
  settings: { en: 'Settings', zh: '设置' },
  answer: { en: 'Server answer', zh: '服务器应答' },
  password: { en: 'User password', zh: '验证用户密码' },
};

const TESTED = samples<RadiusTest>({
  msg: 'radius.example.com:1812 answers, and the shared secret is correct.',
  steps: [
    {
      step: 'answer',
      label: 'Server answer',
      ok: true,
      detail: 'radius.example.com:1812',
      milliseconds: 1004,
    },
  ],
});

/** The entered secret, or the stored one if it belongs to the same servers. */
function secretOf(typed: RadiusForm, saved: RadiusForm): string {
  if (typed.AUTH_RADIUS_SECRET !== '' || saved.AUTH_RADIUS_SECRET === '')
    return typed.AUTH_RADIUS_SECRET;
  // Otherwise an administrator could use the stored secret against another server.
  if (!isSamePlace('AUTH_RADIUS_SECRET', { ...saved }, { ...typed }))
    throw invalid('AUTH_RADIUS_SECRET', 'password_for_other_server');
  return saved.AUTH_RADIUS_SECRET;
}

/** Sends a request to the servers, and notes the steps. @throws Rejected with the failed step */
async function converse(
  form: RadiusForm,
  username: string,
  password: string,
  language: Language,
): Promise<{ answer: RadiusAnswer; steps: RadiusTest['steps'][number][] }> {
  const steps: RadiusTest['steps'][number][] = [];
  const began = performance.now();
  const note = (step: RadiusTest['steps'][number]['step'], ok: boolean, detail: string) => {
    const label = say(LABELS[step], language);
    steps.push({
      step,
      label,
      ok,
      detail: detail.slice(0, 2_000),
      milliseconds: Math.round(performance.now() - began),
    });
    if (!ok)
      throw new Rejected('radius_failed', { step: label, reason: detail.slice(0, 300) }, { steps });
  };
  try {
    const answer = await askRadius(configOf(form), username, password);
    note('answer', true, answer.server);
    return { answer, steps };
  } catch (error) {
    if (!(error instanceof RadiusUnanswered)) throw error;
    const hint = say(
      {
        en: 'Check the address, port and shared secret. Register this server as a client at the RADIUS server, which must sign its answers with Message-Authenticator.',
        zh: '请检查地址、端口和共享密钥，并确认服务器已将本系统登记为客户端，且应答带有 Message-Authenticator。',
      },
      language,
    );
    note('answer', false, `${error.message}. ${hint}`);
    throw error;
  }
}

/** Asks the RADIUS servers of the form about an unused name. */
async function testServers(settings: SettingsService, context: Context): Promise<RadiusTest> {
  const { language } = context;
  const values = readBody(context, FORM);
  const typed: RadiusForm = {
    AUTH_RADIUS_SERVERS: values.AUTH_RADIUS_SERVERS ?? '',
    AUTH_RADIUS_SECRET: values.AUTH_RADIUS_SECRET ?? '',
    AUTH_RADIUS_NAS_IDENTIFIER: values.AUTH_RADIUS_NAS_IDENTIFIER,
    AUTH_RADIUS_TIMEOUT: values.AUTH_RADIUS_TIMEOUT ?? savedForm(settings).AUTH_RADIUS_TIMEOUT,
  };
  if (typed.AUTH_RADIUS_SERVERS.trim() === '') throw invalid('AUTH_RADIUS_SERVERS', 'required');
  const { servers } = configOf(typed);
  if (servers.length === 0) throw invalid('AUTH_RADIUS_SERVERS', 'radius_servers');
  const shared = secretOf(typed, savedForm(settings));
  if (shared === '') throw invalid('AUTH_RADIUS_SECRET', 'required');
  const { answer, steps } = await converse(
    { ...typed, AUTH_RADIUS_SECRET: shared },
    randomUUID(),
    randomUUID(),
    language,
  );
  const works = say(
    {
      en: '{server} answers, and the shared secret is correct.',
      zh: '{server} 已应答，共享密钥正确。',
    },
    language,
    {
      server: answer.server,
    },
  );
  const off = say(
    { en: 'RADIUS sign-in is not enabled yet.', zh: '尚未启用 RADIUS 认证。' },
    language,
  );
  return { msg: values.AUTH_RADIUS === true ? works : `${works} ${off}`, steps };
}

/** Checks a username and a password with the saved settings. */
async function testLogin(settings: SettingsService, context: Context): Promise<RadiusTest> {
  const { language } = context;
  const { username, password } = readBody(context, LOGIN);
  if (!settings.get('AUTH_RADIUS')) throw new Rejected('radius_disabled');
  const { answer, steps } = await converse(savedForm(settings), username, password, language);
  const label = say(LABELS.password, language);
  const detail = REFUSALS[answer.kind];
  if (detail) {
    const reason = [say(detail, language), answer.message].filter(Boolean).join(' ').slice(0, 300);
    steps.push({ step: 'password', label, ok: false, detail: reason, milliseconds: 0 });
    throw new Rejected('radius_failed', { step: label, reason }, { steps });
  }
  if (answer.kind === 'challenge') {
    const asks = say(
      {
        en: 'The server accepts the password and asks a question:',
        zh: '服务器接受了密码，并提出问题：',
      },
      language,
    );
    steps.push({
      step: 'password',
      label,
      ok: true,
      detail: `${asks} ${answer.message}`.slice(0, 300),
      milliseconds: 0,
    });
    return {
      msg: say(
        {
          en: 'The sign-in page shows the question and submits the answer.',
          zh: '登录页面会显示该问题并提交回答。',
        },
        language,
      ),
      steps,
    };
  }
  steps.push({ step: 'password', label, ok: true, detail: username, milliseconds: 0 });
  return {
    msg: say({ en: '{username} can sign in.', zh: '{username} 登录成功。' }, language, {
      username: username,
    }),
    steps,
  };
}

/** Tests RADIUS servers with the values of the form, and a sign-in with the saved ones. */
export function mountRadiusTests(app: FastifyInstance, settings: SettingsService): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/settings/radius/testing/config/',
    access: SUPER,
    area: 'security',
    summary:
      'Test the RADIUS servers with the given values and an unknown name. A blank secret means the stored one.',
    body: FORM,
    answer: TESTED,
    handler: (context) => testServers(settings, context),
  });

  route(app, {
    method: 'POST',
    url: '/api/v1/settings/radius/testing/login/',
    access: SUPER,
    area: 'security',
    summary:
      'Check a username and a password with the saved settings, like a sign-in, without signing in.',
    body: LOGIN,
    answer: TESTED,
    handler: (context) => testLogin(settings, context),
  });
}

const REFUSALS: Readonly<Record<RadiusAnswer['kind'], LocalText | undefined>> = {
  accept: undefined,
  reject: { en: 'The server rejects the password.', zh: '服务器拒绝了该密码。' },
  challenge: undefined,
};
