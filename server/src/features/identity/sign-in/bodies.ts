import {
  type BodyOf,
  type Fields,
  parseBody,
  type SecondFactor,
  secret,
  text,
} from '@sallyport/contract';
import type { PublicContext } from '../../../http/context.ts';
import { Invalid, invalid } from '../../../platform/errors.ts';
import { siteOf } from '../mfa/passkeys.ts';
import type { Proof } from '../mfa/second-factors.ts';

/** Username and password of both sign-in endpoints. */
export const CREDENTIALS = {
  username: text({ label: { en: 'Username', zh: '用户名' }, max: 128 }),
  password: secret({ label: { en: 'Password', zh: '密码' }, max: 1024, required: true }),
};

const required = (en: string, zh: string, max: number) =>
  secret({ label: { en, zh }, max, required: true });

/** A new password, twice. */
export const NEW_PASSWORD = {
  new_password: required('New password', '新密码', 128),
  new_password_again: required('New password again', '确认新密码', 128),
};

/** Answer to a challenge of the server that checks the password. */
export const CHALLENGE_ANSWER = { answer: required('Answer', '回答', 128) };

/** The version of the accepted text. */
export const ACCEPTED = { version: text({ label: { en: 'Version', zh: '版本' }, max: 64 }) };

/** A code that a user enters. */
export const CODE = { code: text({ label: { en: 'Code', zh: '验证码' }, max: 64 }) };

export const PASSKEY_NAME = text({ label: { en: 'Name', zh: '名称' }, max: 64 });

/**
 * Parses some members of a body and ignores the others.
 * @throws Invalid
 */
export function readPart<F extends Fields>(
  body: Readonly<Record<string, unknown>>,
  fields: F,
): BodyOf<F> {
  return readFields(
    Object.fromEntries(Object.entries(body).filter(([name]) => name in fields)),
    fields,
  );
}

/** Parses a body that may only have these members. @throws Invalid */
export function readFields<F extends Fields>(
  body: Readonly<Record<string, unknown>>,
  fields: F,
): BodyOf<F> {
  const { values, problems } = parseBody(fields, body, 'create');
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return values as BodyOf<F>;
}

/** Returns the body as an object; empty if it is not one. */
export function objectBody({ request }: PublicContext): Record<string, unknown> {
  const { body } = request;
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? (body as Record<string, unknown>)
    : {};
}

const TYPES: readonly SecondFactor[] = ['totp', 'recovery', 'passkey'];

/**
 * Reads the second factor from a body. For older clients without a type, the shape of the code
 * decides.
 * @throws Invalid
 */
export function readProof(context: PublicContext, publicUrl: string | undefined): Proof {
  const body = objectBody(context);
  const type = TYPES.find((known) => known === body.type);
  if (type === 'passkey')
    return { type, code: '', response: body.response, site: siteOf(context, publicUrl) };
  if (typeof body.code !== 'string' || body.code === '') throw invalid('code', 'required');
  const code = body.code.trim().slice(0, 64);
  return {
    type: type ?? (/^\d{6}$/.test(code) ? 'totp' : 'recovery'),
    code,
    response: undefined,
    site: undefined,
  };
}
