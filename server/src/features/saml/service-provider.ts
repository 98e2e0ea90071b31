import type { PublicContext } from '../../http/context.ts';
import { formText, siteOf } from '../identity/index.ts';
import type { NameId } from './answer.ts';
import type { ServiceProvider } from './metadata.ts';
import { PATHS } from './names.ts';

/** A verified answer that waits for its browser. */
export interface Waiting {
  readonly issuer: string;
  readonly subject: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** Values of the attribute with groups; null: the provider sent none; absent: not read. */
  readonly groups?: readonly string[] | null;
  readonly nameId: NameId;
  readonly sessionIndex?: string;
  readonly inResponseTo?: string;
  readonly relayState?: string;
}

/** The session of a user at the provider. */
export interface ProviderSession {
  readonly nameId: NameId;
  readonly sessionIndex?: string | undefined;
}

/** The identity of this server for the provider. */
export function serviceOf(
  context: Pick<PublicContext, 'request'>,
  publicUrl: string | undefined,
  entityId: string,
): ServiceProvider {
  const site = siteOf(context, publicUrl);
  return { site, entityId: entityId.trim() || `${site}${PATHS.metadata}` };
}

/** Decodes a field of a posted form from base64. */
export const posted = (context: PublicContext, name: string) =>
  Buffer.from(formText(context, name), 'base64').toString('utf8');
