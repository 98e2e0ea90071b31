import { fetchLimited } from '../../platform/limited-fetch.ts';
import { isProtected } from '../../platform/outgoing.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { XmlRefused } from '../../platform/xml/document.ts';
import { type IdentityProvider, MAX_METADATA, readMetadata } from './metadata.ts';

/** The source of the metadata: pasted text or an address. */
export interface MetadataSource {
  readonly text: string;
  readonly url: string;
}

/**
 * Lifetime of metadata from an address. While the address is unreachable, the last metadata stays
 * in use.
 */
const REMEMBERED = 60 * 60_000;
const TIMEOUT_MILLISECONDS = 10_000;
const MAXIMUM_AGE = 24 * REMEMBERED;

/** Fetches metadata without following redirects, up to a maximum size. @throws Error */
export async function fetchMetadata(address: string): Promise<string> {
  if (!URL.canParse(address) || !isProtected(new URL(address)))
    throw new XmlRefused(`${address} is not protected by HTTPS`);
  const { status, body } = await fetchLimited(
    address,
    {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' },
    },
    { maximum: MAX_METADATA, tooLarge: () => new XmlRefused('the metadata is too large') },
  );
  if (status !== 200) throw new XmlRefused(`${address}: HTTP ${status}`);
  return body.toString('utf8');
}

/** Reads metadata from its source. @throws Error if it cannot be fetched or parsed */
export async function findProvider({ text, url }: MetadataSource): Promise<IdentityProvider> {
  return readMetadata(text.trim() === '' ? await fetchMetadata(url) : text);
}

/** The metadata source in the settings. */
export const savedSource = (settings: Pick<SettingsService, 'get'>): MetadataSource => ({
  text: settings.get('AUTH_SAML_METADATA'),
  url: settings.get('AUTH_SAML_METADATA_URL'),
});

/**
 * Returns the provider of the settings. Reads the metadata again when the settings change, and
 * every hour from an address.
 */
export function createProvider(
  settings: Pick<SettingsService, 'get'>,
): () => Promise<IdentityProvider> {
  let known:
    | { readonly key: string; readonly at: number; readonly provider: IdentityProvider }
    | undefined;
  let asking: { readonly key: string; readonly result: Promise<IdentityProvider> } | undefined;
  return async () => {
    const source = savedSource(settings);
    const key = JSON.stringify([source.url, source.text]);
    const last = known?.key === key ? known : undefined;
    if (last && Date.now() - last.at < REMEMBERED) return last.provider;
    if (asking?.key !== key) {
      const result = findProvider(source);
      const mine = { key, result };
      asking = mine;
      const done = () => {
        if (asking === mine) asking = undefined;
      };
      result.then((provider) => {
        known = { key, at: Date.now(), provider };
        done();
      }, done);
    }
    try {
      return await asking.result;
    } catch (error) {
      // For a day, the last metadata is better than blocking every sign-in.
      if (last && Date.now() - last.at < MAXIMUM_AGE) return last.provider;
      throw error;
    }
  };
}
