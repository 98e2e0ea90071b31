import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { ErrorCode, ErrorParams } from '@sallyport/contract';
import { Rejected } from '../../platform/errors.ts';

/** What a license says. */
export interface LicenseFacts {
  readonly subscription_id: string;
  readonly corporation: string;
  /** The last day on which it holds, such as `2027-01-31` (UTC). */
  readonly expired: string;
  /** How many assets it covers; 0 for as many as there are. */
  readonly asset_count: number;
  readonly edition: string;
}

export interface LicenseDocument extends LicenseFacts {
  /** Ed25519 over the facts, as base64. */
  readonly signature: string;
}

const MAX_TEXT = 128;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The signed text says what it is, so that a signature made for something else never passes for a
 * license.
 */
function signedText({
  subscription_id,
  corporation,
  expired,
  asset_count,
  edition,
}: LicenseFacts): Buffer {
  return Buffer.from(
    `sallyport license 1\n${JSON.stringify([subscription_id, corporation, expired, asset_count, edition])}`,
  );
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT && value.isWellFormed();
const isDay = (value: unknown): value is string =>
  isText(value) && DAY.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`));

/** Whether these are facts that a license may state. */
export function areFacts(
  facts: Readonly<Record<string, unknown>>,
): facts is LicenseFacts & Readonly<Record<string, unknown>> {
  const { subscription_id: id, corporation, expired, asset_count: assets, edition } = facts;
  return (
    isText(id) &&
    isText(corporation) &&
    isText(edition) &&
    isDay(expired) &&
    Number.isSafeInteger(assets) &&
    Number(assets) >= 0
  );
}

/** Signs a license. `privateKey` is PEM. */
export function signLicense(facts: LicenseFacts, privateKey: string): LicenseDocument {
  return {
    ...facts,
    signature: sign(null, signedText(facts), createPrivateKey(privateKey)).toString('base64'),
  };
}

/** A public key as operators pass it on: DER as base64, or undefined when it is no Ed25519 key. */
export function readPublicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The public half of a private key, as operators pass it on. */
export function publicKeyOf(privateKey: string): string {
  return createPublicKey(createPrivateKey(privateKey))
    .export({ format: 'der', type: 'spki' })
    .toString('base64');
}

/** Why a license is not taken; `status` is where clients of the import look. */
export const refusedLicense = (code: ErrorCode, params: ErrorParams = {}) =>
  new Rejected(code, params, { status: false });

/**
 * Reads a license file and checks its signature; whether it still holds is another question.
 * @throws AppError
 */
export function readLicense(text: string, publicKey: KeyObject): LicenseDocument {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusedLicense('license_unreadable');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusedLicense('license_unreadable');
  const { signature, ...facts } = value as Record<string, unknown>;
  if (typeof signature !== 'string' || !areFacts(facts) || Object.keys(facts).length !== 5)
    throw refusedLicense('license_unreadable');
  if (!verify(null, signedText(facts), publicKey, Buffer.from(signature, 'base64')))
    throw refusedLicense('license_signature');
  const { subscription_id, corporation, expired, asset_count, edition } = facts;
  return { subscription_id, corporation, expired, asset_count, edition, signature };
}

/** Whether the last day of a license is over. */
export function isOver({ expired }: Pick<LicenseFacts, 'expired'>, now = Date.now()): boolean {
  return now >= Date.parse(`${expired}T00:00:00Z`) + 86_400_000;
}
