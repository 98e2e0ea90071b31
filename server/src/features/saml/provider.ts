import { isProtected } from '../../platform/protected-address.ts';
import { XmlRefused } from '../../platform/xml/document.ts';
import type { SettingsService } from '../settings/service.ts';
import { type IdentityProvider, MAX_METADATA, readMetadata } from './metadata.ts';

/** Where the metadata of the provider comes from: pasted, or an address. */
export interface MetadataSource {
  readonly text: string;
  readonly url: string;
}

/**
 * Metadata at an address is asked for again after this long; what was read last stays in force
 * while the address does not answer.
 */
const REMEMBERED = 60 * 60_000;
const TIMEOUT_MILLISECONDS = 10_000;
const TOO_OLD = 24 * REMEMBERED;

/** Fetches metadata, without following redirects, up to a maximum size. @throws Error */
export async function fetchMetadata(address: string): Promise<string> {
  if (!URL.canParse(address) || !isProtected(new URL(address)))
    throw new XmlRefused(`${address} is not protected by HTTPS`);
  const response = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    headers: { accept: 'application/samlmetadata+xml, application/xml, text/xml' },
  });
  if (response.status !== 200) throw new XmlRefused(`${address}: HTTP ${response.status}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MAX_METADATA) throw new XmlRefused('the metadata is too large');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Reads metadata where it is. @throws Error when it cannot be fetched or read */
export async function findProvider({ text, url }: MetadataSource): Promise<IdentityProvider> {
  return readMetadata(text.trim() === '' ? await fetchMetadata(url) : text);
}

/** Where the settings in force have the metadata from. */
export const savedSource = (settings: Pick<SettingsService, 'get'>): MetadataSource => ({
  text: settings.get('AUTH_SAML_METADATA'),
  url: settings.get('AUTH_SAML_METADATA_URL'),
});

/**
 * The provider that the settings name, read again when they change and, from an address, every
 * hour.
 */
export function createProvider(
  settings: Pick<SettingsService, 'get'>,
): () => Promise<IdentityProvider> {
  let known:
    | { readonly key: string; readonly at: number; readonly provider: IdentityProvider }
    | undefined;
  let asking: { readonly key: string; readonly found: Promise<IdentityProvider> } | undefined;
  return async () => {
    const source = savedSource(settings);
    const key = JSON.stringify([source.url, source.text]);
    const last = known?.key === key ? known : undefined;
    if (last && Date.now() - last.at < REMEMBERED) return last.provider;
    if (asking?.key !== key) {
      const found = findProvider(source);
      const mine = { key, found };
      asking = mine;
      const done = () => {
        if (asking === mine) asking = undefined;
      };
      found.then((provider) => {
        known = { key, at: Date.now(), provider };
        done();
      }, done);
    }
    try {
      return await asking.found;
    } catch (error) {
      // What the provider said last is better than nobody signing in, for a day.
      if (last && Date.now() - last.at < TOO_OLD) return last.provider;
      throw error;
    }
  };
}
