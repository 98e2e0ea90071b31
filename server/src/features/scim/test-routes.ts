import {
  type Language,
  type ScimTest,
  SETTING_CATEGORIES,
  say,
  USUAL_SCIM_SOURCE,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Caller } from '../../platform/actor.ts';
import { databaseClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { type SettingsService, SUPER } from '../../platform/settings/service.ts';
import { assertPassed, TestSteps } from '../../platform/settings/test-steps.ts';
import { siteOf } from '../identity/index.ts';
import { addToken, listTokens, removeToken } from './tokens.ts';

const LABELS = {
  settings: { en: 'Settings', zh: '设置' },
  tokens: { en: 'Tokens', zh: '令牌' },
  address: { en: 'Address', zh: '地址' },
  users: { en: 'Users', zh: '用户' },
  groups: { en: 'Groups', zh: '用户组' },
};
const TIMEOUT_MILLISECONDS = 10_000;
const TESTED = samples<ScimTest>({
  msg: 'Providers can keep users at https://bastion.example.com/scim/v2.',
  steps: [
    {
      step: 'address',
      label: 'Address',
      ok: true,
      detail: 'https://bastion.example.com/scim/v2',
      milliseconds: 41,
    },
  ],
});

/** Sends a request as a provider does. Returns the total of a list, or else the address. */
async function askAs(token: string, address: string): Promise<string> {
  const response = await fetch(address, {
    redirect: 'manual',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${address}: HTTP ${response.status}`);
  const { totalResults } = JSON.parse(text) as { totalResults?: number };
  return totalResults === undefined ? address : String(totalResults);
}

interface TestOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly publicUrl: string | undefined;
}

async function testScim(
  { db, settings }: TestOptions,
  site: string,
  language: Language,
  reader: Pick<Caller, 'actor' | 'zone'>,
): Promise<ScimTest['steps']> {
  const readSettings = () => {
    if (!settings.get('AUTH_SCIM'))
      throw new Error(
        say(
          { en: 'SCIM is not enabled. Enable SCIM and save.', zh: '尚未启用 SCIM，请启用并保存。' },
          language,
        ),
      );
    return say({ en: 'SCIM is enabled.', zh: '已启用 SCIM。' }, language);
  };
  const readTokens = async () => {
    const usable = (await listTokens(reader, db)).filter(
      (token) => !token.is_expired && token.is_approved,
    );
    if (usable.length === 0)
      throw new Error(
        say({ en: 'No valid token. Create one.', zh: '没有有效的令牌，请创建。' }, language),
      );
    return usable
      .map(({ name, date_expired: until }) =>
        say({ en: '{name}, until {until}', zh: '{name}，有效期至 {until}' }, language, {
          name,
          until,
        }),
      )
      .join(' · ');
  };
  const steps = new TestSteps(LABELS, language);
  const isReady = await steps.takeAll([
    ['settings', readSettings],
    ['tokens', readTokens],
  ]);
  if (!isReady) return steps.taken;
  const until = new Date(databaseClock.now() + 60_000);
  const own = await db.transaction((tx) =>
    addToken(
      { name: `test ${crypto.randomUUID()}`, source: USUAL_SCIM_SOURCE, until, createdBy: '' },
      reader,
      tx,
    ),
  );
  if (!own) throw new Error('the token of the test could not be stored');
  try {
    const ask = (path: string) => () => askAs(own.token, `${site}/scim/v2/${path}`);
    await steps.takeAll([
      ['address', ask('ServiceProviderConfig')],
      ['users', ask('Users?count=0')],
      ['groups', ask('Groups?count=0')],
    ]);
  } finally {
    await db.transaction((tx) => removeToken(own.id, tx));
  }
  return steps.taken;
}

/** Tests SCIM as a provider would, with a token that exists only during the test. */
export function mountScimTest(app: FastifyInstance, options: TestOptions): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/settings/scim/testing/',
    access: SUPER,
    area: 'security',
    summary: 'Request users and groups by SCIM like a provider, with the saved settings.',
    body: SETTING_CATEGORIES.scim.fields,
    answer: TESTED,
    async handler(context): Promise<ScimTest> {
      const site = siteOf(context, options.publicUrl);
      const steps = await testScim(options, site, context.language, context);
      assertPassed(steps, 'scim_test_failed');
      return {
        msg: say(
          {
            en: 'Providers can manage users at {site}/scim/v2.',
            zh: '身份提供方可通过 {site}/scim/v2 维护用户。',
          },
          context.language,
          { site },
        ),
        steps,
      };
    },
  });
}
