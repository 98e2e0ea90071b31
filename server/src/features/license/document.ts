import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { ErrorCode, ErrorParams } from '@sallyport/contract';
import { Rejected } from '../../platform/errors.ts';

/** The facts of a license. */
export interface LicenseFacts {
  readonly subscription_id: string;
  readonly corporation: string;
  /** Last day of validity in UTC, such as `2027-01-31`. */
  readonly expired: string;
  /** Number of covered assets. 0 means unlimited. */
  readonly asset_count: number;
  readonly edition: string;
}

export interface LicenseDocument extends LicenseFacts {
  /** Ed25519 signature over the facts, in base64. */
  readonly signature: string;
}

const MAX_TEXT = 128;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The signed text names its purpose, so that a signature for another purpose cannot pass for a
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

/** Returns true if a license may state these facts. */
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

/**
 * Parses a public key in the format that operators exchange: DER in base64. Undefined unless it is
 * an Ed25519 key.
 */
export function readPublicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** The public key of a private key, in the format that operators exchange. */
export function publicKeyOf(privateKey: string): string {
  return createPublicKey(createPrivateKey(privateKey))
    .export({ format: 'der', type: 'spki' })
    .toString('base64');
}

/** The error of a rejected license. Clients of the import read `status`. */
export const refusedLicense = (code: ErrorCode, params: ErrorParams = {}) =>
  new Rejected(code, params, { status: false });

/**
 * Parses a license file and verifies its signature, but not its validity period.
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

/** Returns true if the last day of a license has passed. */
export function isExpired({ expired }: Pick<LicenseFacts, 'expired'>, now = Date.now()): boolean {
  return now >= Date.parse(`${expired}T00:00:00Z`) + 86_400_000;
}
