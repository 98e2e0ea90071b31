import 'reflect-metadata';
import { createHash, sign, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import * as x509 from '@peculiar/x509';
import {
  type BaseBlock,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
  Set as SetOf,
} from 'asn1js';

/** Ways in which the authority answers wrongly. */
export type Mischief =
  | 'away'
  | 'rejects'
  | 'other nonce'
  | 'other digest'
  | 'changed time'
  | 'other purpose'
  | 'other authority';

/** An authority of timestamps in this process, which speaks RFC 3161 over HTTP. */
export interface TimestampServer {
  readonly url: string;
  /** Its certificate in PEM. */
  readonly authority: string;
  mischief: Mischief | undefined;
  /** The time of the next tokens; undefined for now. */
  time: Date | undefined;
  /** Number of requests. */
  requests: number;
  stop(): Promise<void>;
}

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 86_400_000;
const oid = (value: string) => new ObjectIdentifier({ value });
const list = (...value: BaseBlock[]) => new Sequence({ value });
const octets = (bytes: Uint8Array) => new OctetString({ valueHex: new Uint8Array(bytes) });
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const SHA256 = () => list(oid('2.16.840.1.101.3.4.2.1'), new Null());
const tagged = (tagNumber: number, ...value: BaseBlock[]) =>
  new Constructed({ idBlock: { tagClass: 3, tagNumber }, value });
const reread = (bytes: Uint8Array) => fromBER(bytes).result;

interface Signer {
  readonly root: x509.X509Certificate;
  readonly leaf: X509Certificate;
  readonly key: string;
}

async function makeSigner(purpose = '1.3.6.1.5.5.7.3.8'): Promise<Signer> {
  const [ca, tsa] = await Promise.all(
    [0, 1].map(() => crypto.subtle.generateKey(EC, true, ['sign', 'verify'])),
  );
  if (!ca || !tsa) throw new Error('no keys');
  const validity = {
    notBefore: new Date(Date.now() - 400 * DAY),
    notAfter: new Date(Date.now() + 400 * DAY),
    signingAlgorithm: EC,
  };
  const root = await x509.X509CertificateGenerator.createSelfSigned(
    {
      ...validity,
      serialNumber: '01',
      name: 'CN=Test timestamps root',
      keys: ca,
      extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
    },
    crypto,
  );
  const leaf = await x509.X509CertificateGenerator.create(
    {
      ...validity,
      serialNumber: '02',
      subject: 'CN=Test timestamps',
      issuer: root.subject,
      publicKey: tsa.publicKey,
      signingKey: ca.privateKey,
      extensions: [new x509.ExtendedKeyUsageExtension([purpose], true)],
    },
    crypto,
  );
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', tsa.privateKey));
  return {
    root,
    leaf: new X509Certificate(Buffer.from(leaf.rawData)),
    key: x509.PemConverter.encode(der, 'PRIVATE KEY'),
  };
}

interface Stamp {
  readonly imprint: BaseBlock;
  readonly nonce: BaseBlock;
  readonly time: Date;
}

function tokenOf({ leaf, key }: Signer, { imprint, nonce, time }: Stamp, isChanged: boolean) {
  const infoAt = (moment: Date) =>
    Buffer.from(
      list(
        new Integer({ value: 1 }),
        oid('1.2.3.4.1'),
        imprint,
        new Integer({ value: 77 }),
        new GeneralizedTime({ valueDate: moment }),
        nonce,
      ).toBER(),
    );
  const info = infoAt(time);
  const attribute = (name: string, value: BaseBlock) =>
    list(oid(name), new SetOf({ value: [value] }));
  const attributes = [
    attribute('1.2.840.113549.1.9.3', oid('1.2.840.113549.1.9.16.1.4')),
    attribute('1.2.840.113549.1.9.4', octets(sha256(info))),
    attribute('1.2.840.113549.1.9.16.2.47', list(list(list(octets(sha256(leaf.raw)))))),
  ];
  const signed = Buffer.from(new SetOf({ value: attributes }).toBER());
  const certificate = reread(leaf.raw);
  const parts = certificate instanceof Sequence ? certificate.valueBlock.value[0] : undefined;
  const [, serial, , issuer] = parts instanceof Sequence ? parts.valueBlock.value : [];
  if (!serial || !issuer) throw new Error('no certificate');
  const signer = list(
    new Integer({ value: 1 }),
    list(issuer, serial),
    SHA256(),
    tagged(0, ...attributes),
    list(oid('1.2.840.10045.4.3.2')),
    octets(sign('sha256', signed, key)),
  );
  const content = isChanged ? infoAt(new Date(time.getTime() - DAY)) : info;
  return list(
    oid('1.2.840.113549.1.7.2'),
    tagged(
      0,
      list(
        new Integer({ value: 3 }),
        new SetOf({ value: [SHA256()] }),
        list(oid('1.2.840.113549.1.9.16.1.4'), tagged(0, octets(content))),
        tagged(0, certificate),
        new SetOf({ value: [signer] }),
      ),
    ),
  );
}

/** Starts the authority on a free loopback port. */
export async function startTimestampServer(): Promise<TimestampServer> {
  const [own, other, forServers] = [
    await makeSigner(),
    await makeSigner(),
    await makeSigner('1.3.6.1.5.5.7.3.1'),
  ];
  const answer = (request: Buffer) => {
    const { result } = fromBER(request);
    const [, imprint, nonce] = result instanceof Sequence ? result.valueBlock.value : [];
    if (!imprint || !nonce) throw new Error('no request');
    const { mischief } = service;
    if (mischief === 'rejects') return list(list(new Integer({ value: 2 })));
    // One authority signs both certificates in the case of another purpose: only that differs.
    const signer =
      mischief === 'other authority' ? other : mischief === 'other purpose' ? forServers : own;
    const stamp = {
      imprint: mischief === 'other digest' ? list(SHA256(), octets(sha256(request))) : imprint,
      nonce: mischief === 'other nonce' ? new Integer({ value: 5 }) : nonce,
      time: service.time ?? new Date(),
    };
    return list(
      list(new Integer({ value: 0 })),
      tokenOf(signer, stamp, mischief === 'changed time'),
    );
  };
  const server = createServer(async (request, response) => {
    service.requests += 1;
    const body = await buffer(request);
    if (service.mischief === 'away') {
      response.writeHead(503).end();
      return;
    }
    response.setHeader('content-type', 'application/timestamp-reply');
    response.end(Buffer.from(answer(body).toBER()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const service: TimestampServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsr`,
    authority: `${own.root.toString('pem')}\n${forServers.root.toString('pem')}`,
    mischief: undefined,
    time: undefined,
    requests: 0,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return service;
}
