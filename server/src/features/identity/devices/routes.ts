import {
  choice,
  type DeviceCode,
  type DeviceToken,
  deviceLink,
  formatDatetime,
  integer,
  secret,
  text,
  type WaitingDevice,
} from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import type { Context, PublicContext } from '../../../http/context.ts';
import { publicRoute, readBody, route } from '../../../http/route.ts';
import { samples } from '../../../http/shapes.ts';
import { type Db, transact } from '../../../platform/db/database.ts';
import { Forbidden, invalid, Rejected } from '../../../platform/errors.ts';
import type { AuditWriter } from '../../../resources/hooks.ts';
import { accountEntry } from '../accounts/managed-account.ts';
import { assertConfirmed, type ConfirmServices } from '../mfa/confirmed.ts';
import { logAttempt } from '../sign-in/attempt-log.ts';
import { visitorOf } from '../sign-in/browser-steps.ts';
import { accountById, accountNamed } from '../sign-in/pending.ts';
import { siteOf } from '../sign-in/provider-pages.ts';
import { countUse, createAllowance, type RateLimit } from '../sign-in/rate-limit.ts';
import { refusalOfAccount } from '../sign-in/validity.ts';
import { beginDeviceSignIn } from './begin.ts';
import { mountDeviceSshKeys } from './ssh-key-routes.ts';
import {
  beginDevice,
  confirmDevice,
  denyDevice,
  LIFE_SECONDS,
  POLL_SECONDS,
  pollDevice,
  readCode,
  shownCode,
  waitingDevice,
} from './store.ts';

const BASE = '/api/v1/authentication/device/';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Codes that a user may try at once, and the refill per second. */
const GUESSES = 10;
const GUESSES_PER_SECOND = 1 / 30;

const BEGIN = {
  device: text({ label: { en: 'Device', zh: '设备' }, max: 64, example: 'laptop' }),
  username: text({
    label: { en: 'Username', zh: '用户名' },
    max: 128,
    required: false,
    allowBlank: true,
    defaultValue: '',
    example: '',
  }),
};
const POLL = {
  grant_type: choice({
    label: { en: 'Grant type', zh: '授权类型' },
    choices: [{ value: GRANT, label: { en: 'Device', zh: '设备' } }],
  }),
  device_code: secret({ label: { en: 'Device code', zh: '设备码' }, max: 100, required: true }),
};
const CODE = {
  user_code: text({ label: { en: 'Code', zh: '代码' }, max: 32, example: 'BCDF-GHJK' }),
};
const CONFIRM = {
  ...CODE,
  days: integer({
    label: { en: 'Days', zh: '天数' },
    min: 1,
    max: 365,
    required: false,
    defaultValue: 1,
    example: 1,
  }),
  password: secret({ label: { en: 'Password', zh: '密码' }, max: 1024 }),
};

const CODE_SAMPLE: DeviceCode = {
  device_code: 'q3Yk0u8WcT5mZr7LxP2vHs9NbD4fGjEa1iRoQyUtKlM',
  user_code: 'BCDF-GHJK',
  verification_uri: 'https://bastion.example.com/core/console/users/device',
  verification_uri_complete: 'https://bastion.example.com/core/console/users/device?code=BCDF-GHJK',
  expires_in: 600,
  interval: 2,
};
const TOKEN_SAMPLE: DeviceToken = {
  access_token: 'fKz1V0p8xJ3mQe6R2bTnYwUa9LsDcGhX',
  token_type: 'Bearer',
  expires_in: 86_400,
  date_expired: '2026-02-01 08:30:00 +0800',
  username: 'li.wei',
  name: 'Li Wei',
};
const WAITING_SAMPLE: WaitingDevice = {
  device: 'laptop',
  remote_addr: '192.0.2.7',
  date_created: '2026-01-31 08:30:00 +0800',
  date_expired: '2026-01-31 08:40:00 +0800',
  max_days: 7,
};

export interface DeviceRouteOptions extends ConfirmServices {
  readonly audit: AuditWriter;
  readonly limit: RateLimit;
  readonly publicUrl: string | undefined;
}

/**
 * Returns the refusal of a device's user at an address. Each request of the device is checked
 * again; a second factor is inherited. A device is a key: the source does not check its sign-ins.
 */
async function refusalOfUser(
  userId: string,
  remoteAddress: string,
  { db, settings }: Pick<DeviceRouteOptions, 'db' | 'settings'>,
) {
  const account = await accountById(userId, db);
  const circumstances = { first: 'publickey', kind: 'bearer', remoteAddress, settings } as const;
  return account && refusalOfAccount(account, circumstances);
}

/** The error of a poll; clients read the code of RFC 8628 as `error`. */
const notYet = (
  code: 'device_pending' | 'device_too_early' | 'device_denied' | 'device_expired',
  error: string,
) => new Rejected(code, {}, { error });

/** Answers a device that asks whether its user has confirmed. @throws Rejected */
async function answerPoll(
  options: DeviceRouteOptions,
  context: PublicContext,
): Promise<DeviceToken> {
  const { device_code } = readBody(context, POLL);
  const polled = await options.limit.ofSecret(context, async () => {
    const polled = await options.db.transaction((tx) => pollDevice(device_code, tx));
    if (!polled) throw notYet('device_expired', 'expired_token');
    return polled;
  });
  switch (polled.state) {
    case 'pending':
      throw notYet('device_pending', 'authorization_pending');
    case 'slow_down':
      throw notYet('device_too_early', 'slow_down');
    case 'denied':
      throw notYet('device_denied', 'access_denied');
    default: {
      const { user_id: userId, username, name } = polled;
      const visitor = visitorOf(context, 'A');
      const refusal = await refusalOfUser(userId, visitor.remoteAddress, options);
      if (refusal) {
        await logAttempt(options.db, visitor, { username, userId, reason: refusal.reason });
        throw refusal.error;
      }
      const begun = await beginDeviceSignIn(polled, visitor, options.db);
      return {
        access_token: begun.token,
        token_type: 'Bearer',
        expires_in: begun.seconds,
        date_expired: formatDatetime(begun.dateExpired, context.zone),
        username,
        name,
      };
    }
  }
}

async function beginOnDevice(
  { db, limit, publicUrl }: DeviceRouteOptions,
  context: PublicContext,
): Promise<DeviceCode> {
  await limit(context);
  const { device, username } = readBody(context, BEGIN);
  const { secret: deviceCode, code } = await beginDevice(
    { device, expectedUser: username ?? '', remoteAddress: context.request.ip },
    db,
  );
  const site = siteOf(context, publicUrl);
  return {
    device_code: deviceCode,
    user_code: shownCode(code),
    verification_uri: deviceLink(site),
    verification_uri_complete: deviceLink(site, shownCode(code)),
    expires_in: LIFE_SECONDS,
    interval: POLL_SECONDS,
  };
}

/** Finds devices by the codes that signed-in users type, within their allowance of guesses. */
function createFinder(db: Db) {
  const guesses = createAllowance(GUESSES, GUESSES_PER_SECOND);
  return async ({ actor }: Context, typed: string) => {
    countUse(guesses, actor.userId);
    const code = readCode(typed);
    const waiting = code === undefined ? undefined : await waitingDevice(code, db);
    if (!waiting || code === undefined)
      throw new Rejected('device_code_unknown', { minutes: LIFE_SECONDS / 60 });
    guesses.giveBack(actor.userId);
    const { expected_user: expected } = waiting;
    if (expected !== '' && (await accountNamed(expected, db))?.id !== actor.userId)
      throw new Forbidden('device_other_user');
    return { ...waiting, code };
  };
}

type Find = ReturnType<typeof createFinder>;

/** Confirms the sign-in of a device. @throws AppError */
async function confirm(options: DeviceRouteOptions, find: Find, context: Context): Promise<void> {
  const { db, settings, audit } = options;
  const { user_code, days = 1, password } = readBody(context, CONFIRM);
  const waiting = await find(context, user_code);
  const max = settings.get('SECURITY_SIGN_IN_MAX_DAYS');
  if (days > max) throw invalid('days', 'device_days', { max });
  await assertConfirmed(context, password, options);
  const { actor } = context;
  const refusal = await refusalOfUser(actor.userId, waiting.remote_addr, options);
  if (refusal) throw refusal.error;
  const { userId, username, name, session } = actor;
  await transact(db, async (tx) => {
    if (!(await confirmDevice(waiting.code, { loginId: session.id, days }, tx)))
      throw new Rejected('device_expired');
    const changes = { device: [null, `${waiting.device} (${waiting.remote_addr})`] as const };
    await audit(tx, context, accountEntry({ id: userId, username, name }, changes));
  });
}

/** Routes with which programs on other devices sign in (RFC 8628), and users confirm them. */
export function mountDevices(app: FastifyInstance, options: DeviceRouteOptions): void {
  const { db, settings } = options;
  const find = createFinder(db);
  mountDeviceSshKeys(app, { db, settings });
  publicRoute(app, {
    method: 'POST',
    url: `${BASE}code/`,
    summary: 'Start the sign-in of a program on a device. Returns a code that its user confirms.',
    body: BEGIN,
    answer: samples<DeviceCode>(CODE_SAMPLE),
    handler: (context) => beginOnDevice(options, context),
  });
  publicRoute(app, {
    method: 'POST',
    url: `${BASE}token/`,
    summary: 'The token of a device, once after its user confirmed.',
    body: POLL,
    ignored: ['client_id'],
    answer: samples<DeviceToken>(TOKEN_SAMPLE),
    handler: (context) => answerPoll(options, context),
  });
  route(app, {
    method: 'POST',
    url: `${BASE}find/`,
    access: 'signed-in',
    area: 'own',
    summary: 'The device that waits with a code.',
    body: CODE,
    answer: samples<WaitingDevice>(WAITING_SAMPLE),
    async handler(context): Promise<WaitingDevice> {
      const waiting = await find(context, readBody(context, CODE).user_code);
      return {
        device: waiting.device,
        remote_addr: waiting.remote_addr,
        date_created: formatDatetime(waiting.date_created, context.zone),
        date_expired: formatDatetime(waiting.date_expired, context.zone),
        max_days: settings.get('SECURITY_SIGN_IN_MAX_DAYS'),
      };
    },
  });
  route(app, {
    method: 'POST',
    url: `${BASE}confirm/`,
    access: 'signed-in',
    area: 'own',
    summary: 'Sign a device in as the caller, after the password or a second factor.',
    body: CONFIRM,
    status: 204,
    async handler(context) {
      await confirm(options, find, context);
      context.reply.code(204);
    },
  });
  route(app, {
    method: 'POST',
    url: `${BASE}deny/`,
    access: 'signed-in',
    area: 'own',
    summary: 'Deny the sign-in of a device.',
    body: CODE,
    status: 204,
    async handler(context) {
      const { code } = await find(context, readBody(context, CODE).user_code);
      await denyDevice(code, db);
      context.reply.code(204);
    },
  });
}
