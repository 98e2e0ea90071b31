import { createHash } from 'node:crypto';
import { allowInsecureRequests, type Configuration, discovery, enableNonRepudiationChecks } from 'openid-client';
import type { SettingsService } from '../settings/service.ts';

/** The provider that the settings name, ready to be asked. */
export interface Provider {
  /** @throws Error when it cannot be reached or is not what the settings say */
  get(): Promise<Configuration>;
}

/** What the provider says of itself is asked again after this long. */
const REMEMBERED = 60 * 60_000;
const TIMEOUT_SECONDS = 10;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Finds the provider by its issuer, and remembers what it said until the settings change. */
export function createProvider(settings: Pick<SettingsService, 'get'>): Provider {
  let remembered: { readonly key: string; readonly until: number; readonly found: Promise<Configuration> } | undefined;

  const find = (issuer: URL, clientId: string, secret: string): Promise<Configuration> =>
    discovery(issuer, clientId, secret || undefined, undefined, {
      timeout: TIMEOUT_SECONDS,
      execute: [
        // The signature counts, whatever the way the token came by; without it "none" would do.
        enableNonRepudiationChecks,
        // Nothing leaves this machine in the open.
        ...(issuer.protocol === 'http:' && LOOPBACK.has(issuer.hostname) ? [allowInsecureRequests] : []),
      ],
    });

  return {
    get() {
      const [issuer, clientId, secret] = [settings.get('AUTH_OPENID_ISSUER'), settings.get('AUTH_OPENID_CLIENT_ID'), settings.get('AUTH_OPENID_CLIENT_SECRET')];
      const key = createHash('sha256')
        .update(JSON.stringify([issuer, clientId, secret]))
        .digest('hex');
      if (remembered?.key === key && remembered.until > Date.now()) return remembered.found;
      if (!URL.canParse(issuer)) return Promise.reject(new Error('The issuer is no address'));
      const found = find(new URL(issuer), clientId, secret);
      remembered = { key, until: Date.now() + REMEMBERED, found };
      found.catch(() => {
        // What went wrong is tried again at once.
        if (remembered?.found === found) remembered = undefined;
      });
      return found;
    },
  };
}
