import { type AuthContext, readUserKey } from '@sallyport/ssh';
import type { SignedInSite } from '../../sites/site-connection.ts';
import { hashOf, MAX_KEY } from './key-context.ts';
import type { SshSites } from './ports.ts';

/** Sites join with keys of this type. */
const KEY_TYPE = 'ssh-ed25519';

/**
 * Answers an attempt of a site to sign in, unless it proves the key of the site: then the caller
 * accepts it.
 */
export async function provenSite(
  context: AuthContext,
  id: string,
  sites: SshSites,
): Promise<SignedInSite | undefined> {
  const data = context.method === 'publickey' ? context.key.data : undefined;
  const key = data && data.length <= MAX_KEY ? readUserKey(data) : undefined;
  const site = data && key?.type === KEY_TYPE ? await sites.find(id, data) : undefined;
  if (!key || !site || context.method !== 'publickey') context.reject(['publickey']);
  else if (!context.signature || !context.blob) context.accept();
  else if (key.verify(context.blob, context.signature, hashOf(context)) === true) return site;
  else context.reject(['publickey']);
  return undefined;
}
