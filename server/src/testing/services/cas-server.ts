import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * A CAS server for tests (CAS Protocol 3.0). Debian packages none, so it follows the protocol text:
 * tickets for one service, each valid once. It signs in every visitor as `who` without a question.
 */
export interface CasTestServer {
  readonly address: string;
  who: {
    readonly user: string;
    readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  };
  /** Modifies ticket validation answers, for attacks. */
  tamper: ((answer: string) => string) | undefined;
  /** Returns true for a permitted service. */
  isKnown: (service: string) => boolean;
  /** Requested paths and queries, in order. */
  readonly requests: string[];
  /** Ends the session of a ticket by a POST to its service. @returns the status of the answer */
  signOut(ticket: string, service: string, change?: (request: string) => string): Promise<number>;
  /** The last issued ticket, and its service. */
  readonly last: { ticket: string; service: string };
  stop(): Promise<void>;
}

const escapeText = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

export async function startCasServer(): Promise<CasTestServer> {
  const tickets = new Map<string, string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const service = url.searchParams.get('service') ?? '';
    const send = (status: number, headers: Record<string, string>, body = '') =>
      void response.writeHead(status, headers).end(body);
    running.requests.push(`${url.pathname}${url.search}`);
    if (url.pathname === '/cas/login') {
      if (!running.isKnown(service)) return send(403, {}, 'This service is not known here.');
      const ticket = `ST-${tickets.size + 1}-${randomBytes(12).toString('hex')}-test.example`;
      tickets.set(ticket, service);
      Object.assign(running.last, { ticket, service });
      return send(302, {
        location: `${service}${service.includes('?') ? '&' : '?'}ticket=${ticket}`,
      });
    }
    if (url.pathname === '/cas/serviceValidate' || url.pathname === '/cas/p3/serviceValidate') {
      const ticket = url.searchParams.get('ticket') ?? '';
      const known = tickets.get(ticket);
      tickets.delete(ticket);
      const failure =
        known === undefined ? 'INVALID_TICKET' : known !== service ? 'INVALID_SERVICE' : undefined;
      const attributes = Object.entries(running.who.attributes)
        .flatMap(([name, values]) =>
          [values].flat().map((value) => `<cas:${name}>${escapeText(value)}</cas:${name}>`),
        )
        .join('');
      const more = url.pathname.includes('/p3/')
        ? `<cas:attributes>${attributes}</cas:attributes>`
        : '';
      const inner = failure
        ? `<cas:authenticationFailure code="${failure}">not recognized</cas:authenticationFailure>`
        : `<cas:authenticationSuccess><cas:user>${escapeText(running.who.user)}</cas:user>${more}</cas:authenticationSuccess>`;
      const answer = `<cas:serviceResponse xmlns:cas="http://www.yale.edu/tp/cas">\n  ${inner}\n</cas:serviceResponse>`;
      return send(200, { 'content-type': 'application/xml' }, running.tamper?.(answer) ?? answer);
    }
    if (url.pathname === '/cas/logout') return send(302, { location: service });
    send(404, {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const running: CasTestServer = {
    address: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/cas`,
    who: { user: 'nobody', attributes: {} },
    tamper: undefined,
    isKnown: () => true,
    requests: [],
    last: { ticket: '', service: '' },
    async signOut(ticket, service, change = (request) => request) {
      const request = `<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_${randomBytes(8).toString('hex')}" Version="2.0" IssueInstant="${new Date().toISOString()}"><saml:NameID xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">@NOT_USED@</saml:NameID><samlp:SessionIndex>${ticket}</samlp:SessionIndex></samlp:LogoutRequest>`;
      return (
        await fetch(service, {
          method: 'POST',
          body: new URLSearchParams({ logoutRequest: change(request) }),
        })
      ).status;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return running;
}
