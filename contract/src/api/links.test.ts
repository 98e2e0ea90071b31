import { describe, expect, it } from 'vitest';
import { deviceLink, hasLinkLanguage, LINK_LANGUAGE, pageLink, secretLink } from './links.ts';

const SITES = ['https://bastion.example.com', 'http://[2001:db8::7]:8080', 'https://a.test/base'];

describe.each(SITES)('links of %s', (site) => {
  it.each(['reset', 'welcome', 'guest'] as const)(
    'keeps the secret of a %s link in the fragment, and names the language',
    (page) => {
      for (const language of ['en', 'zh'] as const) {
        const link = secretLink(page, { site, secret: 'se-cr_et', language });
        const [sent, kept] = link.split('#');
        expect(kept?.endsWith('se-cr_et')).toBe(true);
        const [address, query] = sent?.split('?') ?? [];
        expect(query).toBe(`${LINK_LANGUAGE}=${language}`);
        expect(address?.startsWith(`${site}/`)).toBe(true);
        expect(hasLinkLanguage(address?.slice(site.length) ?? '')).toBe(true);
      }
    },
  );

  it('leads to pages of the console, also by addresses of earlier versions', () => {
    const ticket = `${site}/core/console/tickets/tickets/7?activeTab=Detail`;
    expect(pageLink(site, '/ui/tickets/tickets/7?activeTab=Detail')).toBe(ticket);
    expect(pageLink(site, '/core/console/tickets/tickets/7?activeTab=Detail')).toBe(ticket);
  });

  it('leads to the page that confirms a device, with or without its code', () => {
    expect(deviceLink(site)).toBe(`${site}/core/console/users/device`);
    expect(deviceLink(site, 'BCDF-GHJK')).toBe(`${deviceLink(site)}?code=BCDF-GHJK`);
  });
});
