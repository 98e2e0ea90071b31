import { execFileSync } from 'node:child_process';
import { createSign, createVerify, randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { makeKeyWithCertificate } from '../../platform/crypto/self-signed.ts';
import { requirePeers } from '../peers.ts';
import { removeFolder } from '../remove-folder.ts';

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const DS = 'http://www.w3.org/2000/09/xmldsig#';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';

/** A user at the provider. */
export interface SamlPerson {
  readonly nameId: string;
  readonly format?: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Values of the attribute `groups`. */
  readonly groups?: readonly string[];
}

/** The values of an answer; tests change them before signing. */
export interface SamlFacts {
  readonly responseId: string;
  readonly assertionId: string;
  readonly issuer: string;
  readonly destination: string;
  readonly recipient: string;
  readonly audience: string;
  readonly inResponseTo: string | undefined;
  readonly notBefore: string;
  readonly notOnOrAfter: string;
  readonly sessionIndex: string;
  readonly status: string;
  /** Words of the provider; empty: none. */
  readonly statusMessage: string;
  /** The complete NameID element; tests may replace it. */
  readonly nameIdXml: string;
  readonly signatureMethod: string;
  readonly digestMethod: string;
}

/**
 * A SAML 2.0 identity provider for tests, because Debian packages no light one. `xmlsec1` signs and
 * encrypts; it shares no code with the product's verification. It signs in every visitor as `who`
 * without a question.
 */
export interface SamlProvider {
  readonly entityId: string;
  readonly metadata: string;
  readonly metadataUrl: string;
  who: SamlPerson;
  /** Changes the values before signing. */
  change: ((facts: SamlFacts) => SamlFacts) | undefined;
  /** Modifies the response, for attacks. */
  tamper: ((response: string) => string) | undefined;
  /** Encryption of assertions; undefined: none. */
  encryption: 'aes256-gcm' | 'aes256-cbc' | undefined;
  /** True to sign the response around the assertion. */
  signsResponse: boolean;
  /** True to answer sign-ins with an error. */
  refuses: boolean;
  /** Returns the form fields of an answer to a request, or of an unsolicited one. */
  answer(inResponseTo?: string): { readonly action: string; readonly SAMLResponse: string };
  /** Signs an element that contains a signature template. */
  sign(xml: string): string;
  /** Returns the address for a sign-out by the provider. */
  signOutAddress(
    nameId: string,
    sessionIndex?: string,
    change?: (request: string) => string,
  ): string;
  /** Requests of services with a valid signature. */
  readonly received: string[];
  stop(): Promise<void>;
}

const escapeText = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const template = (
  id: string,
  method = RSA_SHA256,
  digest = 'http://www.w3.org/2001/04/xmlenc#sha256',
) =>
  `<ds:Signature xmlns:ds="${DS}"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="${method}"/><ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${DS}enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="${digest}"/><ds:DigestValue/></ds:Reference></ds:SignedInfo><ds:SignatureValue/></ds:Signature>`;
const encrypted = (method: string) =>
  `<xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" Type="http://www.w3.org/2001/04/xmlenc#Element"><xenc:EncryptionMethod Algorithm="${method}"/><ds:KeyInfo xmlns:ds="${DS}"><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"/><xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo><xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedData>`;
const METHODS = {
  'aes256-gcm': 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'aes256-cbc': 'http://www.w3.org/2001/04/xmlenc#aes256-cbc',
} as const;

/** Reads an attribute from XML written by this file or the product. */
const attribute = (xml: string, element: string, name: string) =>
  new RegExp(`<[\\w:]*${element}\\b[^>]*\\b${name}="([^"]*)"`).exec(xml)?.[1] ?? '';

/** Starts a provider for one service; it loads the metadata at `site` on the first request. */
export async function startSamlProvider(site: string): Promise<SamlProvider> {
  requirePeers('xmlsec1');
  const folder = mkdtempSync(join(tmpdir(), 'saml-provider-'));
  const at = (name: string) => join(folder, name);
  const generated = await makeKeyWithCertificate('Test provider', 1);
  const key = generated.privateKey;
  writeFileSync(at('key.pem'), key);
  writeFileSync(at('cert.pem'), generated.certificate);
  const certificate = new X509Certificate(generated.certificate);
  let number = 0;
  const xmlsec = (words: readonly string[], files: Readonly<Record<string, string>>): string => {
    const turn = number++;
    const name = (file: string) => at(`${turn}-${file}`);
    for (const [file, text] of Object.entries(files)) writeFileSync(name(file), text);
    execFileSync(
      'xmlsec1',
      [
        ...words.map((word) => (word in files ? name(word) : word)),
        '--output',
        name('out.xml'),
        name('in.xml'),
      ],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    return readFileSync(name('out.xml'), 'utf8')
      .replace(/^<\?xml[^>]*\?>\s*/, '')
      .trim();
  };
  const sign = (xml: string) =>
    xmlsec(
      [
        '--sign',
        '--privkey-pem',
        at('key.pem'),
        '--id-attr:ID',
        `${ASSERTION}:Assertion`,
        '--id-attr:ID',
        `${PROTOCOL}:Response`,
        '--id-attr:ID',
        `${PROTOCOL}:LogoutRequest`,
      ],
      {
        'in.xml': xml,
      },
    );

  let service:
    | {
        readonly entityId: string;
        readonly acs: string;
        readonly sls: string;
        readonly certificate: X509Certificate;
      }
    | undefined;
  const known = async () => {
    if (service) return service;
    const xml = await (await fetch(`${site.replace(/\/$/, '')}/core/auth/saml/metadata/`)).text();
    const certificateText = /<ds:X509Certificate>([^<]+)</.exec(xml)?.[1] ?? '';
    service = {
      entityId: attribute(xml, 'EntityDescriptor', 'entityID'),
      acs: attribute(xml, 'AssertionConsumerService', 'Location'),
      sls: attribute(xml, 'SingleLogoutService', 'Location'),
      certificate: new X509Certificate(Buffer.from(certificateText, 'base64')),
    };
    writeFileSync(at('service.pem'), service.certificate.toString());
    return service;
  };

  const encrypt = (assertion: string, method: 'aes256-gcm' | 'aes256-cbc') =>
    xmlsec(
      [
        '--encrypt',
        '--pubkey-cert-pem',
        at('service.pem'),
        '--session-key',
        'aes-256',
        '--xml-data',
        'data.xml',
      ],
      {
        'in.xml': encrypted(METHODS[method]),
        'data.xml': assertion,
      },
    );

  const respond = (inResponseTo: string | undefined): string => {
    if (!service) throw new Error('the service is not known yet');
    const { who } = running;
    const now = Date.now();
    const time = (seconds: number) => new Date(now + seconds * 1_000).toISOString();
    const plain: SamlFacts = {
      responseId: `_${randomBytes(16).toString('hex')}`,
      assertionId: `_${randomBytes(16).toString('hex')}`,
      issuer: running.entityId,
      destination: service.acs,
      recipient: service.acs,
      audience: service.entityId,
      inResponseTo,
      notBefore: time(-30),
      notOnOrAfter: time(300),
      sessionIndex: `_session${randomBytes(8).toString('hex')}`,
      status: 'urn:oasis:names:tc:SAML:2.0:status:Success',
      statusMessage: '',
      nameIdXml: `<saml:NameID Format="${who.format ?? 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'}">${escapeText(who.nameId)}</saml:NameID>`,
      signatureMethod: RSA_SHA256,
      digestMethod: 'http://www.w3.org/2001/04/xmlenc#sha256',
    };
    const facts = running.change?.(plain) ?? plain;
    const answered =
      facts.inResponseTo === undefined ? '' : ` InResponseTo="${facts.inResponseTo}"`;
    const attributes = [
      ...Object.entries(who.attributes).map(([name, value]) => [name, [value]] as const),
      ...(who.groups ? [['groups', who.groups] as const] : []),
    ]
      .map(([name, values]) => {
        const list = values.map(
          (value) => `<saml:AttributeValue>${escapeText(value)}</saml:AttributeValue>`,
        );
        return `<saml:Attribute Name="${escapeText(name)}">${list.join('')}</saml:Attribute>`;
      })
      .join('');
    const statement =
      attributes && `<saml:AttributeStatement>${attributes}</saml:AttributeStatement>`;
    const assertion = sign(
      `<saml:Assertion xmlns:saml="${ASSERTION}" ID="${facts.assertionId}" Version="2.0" IssueInstant="${time(0)}"><saml:Issuer>${escapeText(facts.issuer)}</saml:Issuer>${template(facts.assertionId, facts.signatureMethod, facts.digestMethod)}<saml:Subject>${facts.nameIdXml}<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${facts.notOnOrAfter}" Recipient="${escapeText(facts.recipient)}"${answered}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${facts.notBefore}" NotOnOrAfter="${facts.notOnOrAfter}"><saml:AudienceRestriction><saml:Audience>${escapeText(facts.audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${time(0)}" SessionIndex="${facts.sessionIndex}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>${statement}</saml:Assertion>`,
    );
    const inner = running.encryption
      ? `<saml:EncryptedAssertion>${encrypt(assertion, running.encryption)}</saml:EncryptedAssertion>`
      : assertion;
    const response = `<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="${facts.responseId}" Version="2.0" IssueInstant="${time(0)}" Destination="${escapeText(facts.destination)}"${answered}><saml:Issuer>${escapeText(facts.issuer)}</saml:Issuer>${running.signsResponse ? template(facts.responseId) : ''}<samlp:Status><samlp:StatusCode Value="${facts.status}"/>${facts.statusMessage && `<samlp:StatusMessage>${escapeText(facts.statusMessage)}</samlp:StatusMessage>`}</samlp:Status>${facts.status.endsWith(':Success') ? inner : ''}</samlp:Response>`;
    const signed = running.signsResponse ? signOuter(response, facts.responseId) : response;
    return running.tamper?.(signed) ?? signed;
  };
  /** xmlsec1 signs the first template in the document, which belongs to the response. */
  const signOuter = (response: string, id: string) =>
    xmlsec(
      [
        '--sign',
        '--privkey-pem',
        at('key.pem'),
        '--id-attr:ID',
        `${ASSERTION}:Assertion`,
        '--id-attr:ID',
        `${PROTOCOL}:Response`,
        '--node-xpath',
        `//*[@ID='${id}']/*[local-name()='Signature']`,
      ],
      {
        'in.xml': response,
      },
    );

  const redirect = (location: string, kind: string, message: string, relayState = '') => {
    const parts = [`${kind}=${encodeURIComponent(deflateRawSync(message).toString('base64'))}`];
    if (relayState) parts.push(`RelayState=${encodeURIComponent(relayState)}`);
    parts.push(`SigAlg=${encodeURIComponent(RSA_SHA256)}`);
    return `${location}?${parts.join('&')}&Signature=${encodeURIComponent(createSign('sha256').update(parts.join('&')).sign(key, 'base64'))}`;
  };
  /** Parses a request of the service and verifies its signature. */
  const readRequest = async (query: string): Promise<string> => {
    const signed = query.slice(0, query.indexOf('&Signature='));
    const values = new URLSearchParams(query);
    const { certificate: theirs } = await known();
    const isRight = createVerify('sha256')
      .update(signed)
      .verify(theirs.publicKey, values.get('Signature') ?? '', 'base64');
    if (!isRight || values.get('SigAlg') !== RSA_SHA256)
      throw new Error('the request is not signed by the service');
    const xml = inflateRawSync(
      Buffer.from(values.get('SAMLRequest') ?? values.get('SAMLResponse') ?? '', 'base64'),
    ).toString();
    running.received.push(xml);
    return xml;
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const send = (status: number, headers: Record<string, string>, body = '') =>
      void response.writeHead(status, headers).end(body);
    const run = async () => {
      if (url.pathname === '/metadata')
        return send(200, { 'content-type': 'application/samlmetadata+xml' }, running.metadata);
      const xml = await readRequest(url.search.slice(1));
      if (url.pathname === '/sso') {
        if (running.refuses) return send(403, {}, 'This service is not known here.');
        const { action, SAMLResponse } = running.answer(attribute(xml, 'AuthnRequest', 'ID'));
        const page = `<!doctype html><title>Provider</title><form method="post" action="${action}"><input type="hidden" name="SAMLResponse" value="${SAMLResponse}"><button>Go on</button></form><script>document.forms[0].submit()</script>`;
        return send(200, { 'content-type': 'text/html' }, page);
      }
      if (url.pathname === '/slo') {
        const { sls } = await known();
        if (url.searchParams.has('SAMLResponse'))
          return send(200, { 'content-type': 'text/plain' }, 'signed out');
        const answer = `<samlp:LogoutResponse xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="_${randomBytes(16).toString('hex')}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${sls}" InResponseTo="${attribute(xml, 'LogoutRequest', 'ID')}"><saml:Issuer>${running.entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status></samlp:LogoutResponse>`;
        return send(302, { location: redirect(sls, 'SAMLResponse', answer) });
      }
      send(404, {});
    };
    run().catch((error: unknown) => send(400, { 'content-type': 'text/plain' }, String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const running: SamlProvider = {
    entityId: `${base}/metadata`,
    metadataUrl: `${base}/metadata`,
    metadata: `<?xml version="1.0"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${base}/metadata"><md:IDPSSODescriptor protocolSupportEnumeration="${PROTOCOL}"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${DS}"><ds:X509Data><ds:X509Certificate>${certificate.raw.toString('base64')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${base}/slo"/><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${base}/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>`,
    who: { nameId: 'nobody', attributes: {} },
    change: undefined,
    tamper: undefined,
    encryption: undefined,
    signsResponse: false,
    refuses: false,
    received: [],
    answer: (inResponseTo) => ({
      action: service?.acs ?? '',
      SAMLResponse: Buffer.from(respond(inResponseTo)).toString('base64'),
    }),
    sign,
    signOutAddress(nameId, sessionIndex, change = (request) => request) {
      if (!service) throw new Error('the service is not known yet');
      const index = sessionIndex ? `<samlp:SessionIndex>${sessionIndex}</samlp:SessionIndex>` : '';
      const request = `<samlp:LogoutRequest xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}" ID="_${randomBytes(16).toString('hex')}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${service.sls}"><saml:Issuer>${running.entityId}</saml:Issuer><saml:NameID>${escapeText(nameId)}</saml:NameID>${index}</samlp:LogoutRequest>`;
      return redirect(service.sls, 'SAMLRequest', change(request), 'state of the provider');
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await removeFolder(folder);
    },
  };
  return running;
}
