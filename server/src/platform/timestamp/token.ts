// Timestamp tokens of RFC 3161: signed data (RFC 5652) of an authority over a digest and a time.
import { createHash, verify, X509Certificate } from 'node:crypto';
import {
  type CertificateChoices,
  ContentInfo,
  type IssuerAndSerialNumber,
  SignedData,
  type SignerInfo,
} from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { Certificate, ExtendedKeyUsage, id_ce_extKeyUsage } from '@peculiar/asn1-x509';
import {
  fromBER,
  GeneralizedTime,
  Integer,
  ObjectIdentifier,
  OctetString as Octets,
  Sequence,
  Set as SetOf,
} from 'asn1js';

/** The time that an authority confirms, and its name. */
export interface Timestamp {
  readonly time: Date;
  readonly authority: string;
}

/** The expected parts of a token. */
export interface ExpectedToken {
  /** SHA-256 of the stamped text. */
  readonly digest: Buffer;
  /** The nonce of the request. Undefined for a stored token, whose request is forgotten. */
  readonly nonce?: bigint | undefined;
  /** The authorities, in PEM. The certificate of the token leads to one of them. */
  readonly authorities: readonly X509Certificate[];
}

/** The token does not prove the digest. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
}

export const SHA256_OID = '2.16.840.1.101.3.4.2.1';
export const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const ATTRIBUTES = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
} as const;
const HASHES: Readonly<Record<string, string>> = {
  [SHA256_OID]: 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
/** PKCS #1 v1.5 and ECDSA, with the hash that the name contains or that the signer names. */
const SIGNATURES: Readonly<Record<string, string | undefined>> = {
  '1.2.840.113549.1.1.1': undefined,
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
};
const MOST_CERTIFICATES = 10;

const refuse = (problem: string): never => {
  throw new TokenRefused(problem);
};
const hash = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest();

interface Stamped {
  readonly imprint: Buffer;
  readonly time: Date;
  readonly nonce: bigint | undefined;
}

/** Reads the signed content: policy, digest, serial number, time, and optional parts. */
function readStamped(bytes: Buffer): Stamped {
  const { result } = fromBER(bytes);
  const parts = result instanceof Sequence ? result.valueBlock.value : [];
  const [, , imprint, , time, ...more] = parts;
  const [algorithm, digest] = imprint instanceof Sequence ? imprint.valueBlock.value : [];
  const oid = algorithm instanceof Sequence ? algorithm.valueBlock.value[0] : undefined;
  if (
    !(oid instanceof ObjectIdentifier) ||
    !(digest instanceof Octets) ||
    !(time instanceof GeneralizedTime)
  )
    return refuse('its content is no timestamp');
  if (oid.valueBlock.toString() !== SHA256_OID) refuse('its digest is not SHA-256');
  const nonce = more.find((part) => part instanceof Integer);
  return {
    imprint: Buffer.from(digest.valueBlock.valueHexView),
    time: time.toDate(),
    nonce: nonce instanceof Integer ? nonce.toBigInt() : undefined,
  };
}

/** The only value of a signed attribute, as DER. */
function attributeOf({ signedAttrs = [] }: SignerInfo, oid: string): ArrayBuffer | undefined {
  const matches = signedAttrs.filter(({ attrType }) => attrType === oid);
  const [value, ...others] = matches.flatMap(({ attrValues }) => attrValues);
  return matches.length === 1 && others.length === 0 ? value : undefined;
}

/** The hash of the certificate that the signer names (RFC 5035), which must be `certificate`. */
function assertNamesItsCertificate(signer: SignerInfo, certificate: X509Certificate): void {
  const second = attributeOf(signer, ATTRIBUTES.signingCertificateV2);
  const der = second ?? attributeOf(signer, ATTRIBUTES.signingCertificate);
  const { result } = der ? fromBER(der) : {};
  const list = result instanceof Sequence ? result.valueBlock.value[0] : undefined;
  const first = list instanceof Sequence ? list.valueBlock.value[0] : undefined;
  const parts = first instanceof Sequence ? first.valueBlock.value : [];
  const digest = parts.find((part) => part instanceof Octets);
  // SHA-256 is the default of the second form, and SHA-1 the only hash of the first.
  const [chosen] = parts;
  const oid = chosen instanceof Sequence ? chosen.valueBlock.value[0] : undefined;
  const name =
    second === undefined
      ? 'sha1'
      : oid instanceof ObjectIdentifier
        ? HASHES[oid.valueBlock.toString()]
        : 'sha256';
  if (
    name === undefined ||
    !(digest instanceof Octets) ||
    !hash(name, certificate.raw).equals(Buffer.from(digest.valueBlock.valueHexView))
  )
    refuse('it does not name its certificate');
}

/** The certificate may sign timestamps and nothing else (RFC 3161, 2.3). */
function assertForTimestamps(certificate: X509Certificate): void {
  const { extensions = [] } = AsnConvert.parse(certificate.raw, Certificate).tbsCertificate;
  const usage = extensions.find(({ extnID }) => extnID === id_ce_extKeyUsage);
  const purposes = usage ? [...AsnConvert.parse(usage.extnValue, ExtendedKeyUsage)] : [];
  if (usage?.critical !== true || purposes.length !== 1 || purposes[0] !== TIME_STAMPING)
    refuse('its certificate is not for timestamps only');
}

/** The certificates from the signer to an authority are valid at the time of the token. */
function assertTrusted(
  leaf: X509Certificate,
  known: readonly X509Certificate[],
  { authorities, time }: { readonly authorities: readonly X509Certificate[]; readonly time: Date },
): void {
  const isValid = ({ validFromDate, validToDate }: X509Certificate) =>
    validFromDate <= time && time <= validToDate;
  const issued = (one: X509Certificate, by: X509Certificate) =>
    by.ca && isValid(by) && one.checkIssued(by) && one.verify(by.publicKey);
  if (!isValid(leaf)) refuse('its certificate was not valid at its time');
  let current = leaf;
  for (let step = 0; step < MOST_CERTIFICATES; step++) {
    const one = current;
    if (authorities.some((authority) => issued(one, authority))) return;
    const next = known.find((issuer) => !issuer.raw.equals(one.raw) && issued(one, issuer));
    if (!next) break;
    current = next;
  }
  refuse('its certificate does not lead to the given authority');
}

const serialOf = ({ issuer, serialNumber }: IssuerAndSerialNumber) =>
  `${Buffer.from(AsnConvert.serialize(issuer)).toString('hex')} ${Buffer.from(serialNumber).toString('hex')}`;

/** The certificate among those of the token that the signer names. */
function certificateOf(signer: SignerInfo, choices: readonly CertificateChoices[]): Buffer {
  const { issuerAndSerialNumber: named } = signer.sid;
  const match = choices
    .flatMap(({ certificate }) => certificate ?? [])
    .find((certificate) => {
      const { issuer, serialNumber } = certificate.tbsCertificate;
      return (
        named !== undefined &&
        serialOf(named) === serialOf({ issuer, serialNumber } as IssuerAndSerialNumber)
      );
    });
  return match ? Buffer.from(AsnConvert.serialize(match)) : refuse('it has no certificate');
}

/**
 * The signed attributes as they are in the token: encoded again, those of a lax authority would
 * differ. The signature covers them as a SET, whatever their tag.
 */
function signedBytesIn(signedData: ArrayBuffer): Buffer {
  const { result } = fromBER(signedData);
  const signers = result instanceof Sequence ? result.valueBlock.value.at(-1) : undefined;
  const [first] = signers instanceof SetOf ? signers.valueBlock.value : [];
  const parts = first instanceof Sequence ? first.valueBlock.value : [];
  const attributes = parts.find(({ idBlock }) => idBlock.tagClass === 3 && idBlock.tagNumber === 0);
  const bytes = Buffer.from(attributes?.valueBeforeDecodeView ?? []);
  if (bytes.length === 0) refuse('it has no signed attributes');
  bytes[0] = 0x31;
  return bytes;
}

interface Signed {
  readonly signer: SignerInfo;
  /** The signed data in DER, and its content. */
  readonly bytes: ArrayBuffer;
  readonly content: Buffer;
}

function assertSigned({ signer, bytes, content }: Signed, certificate: X509Certificate): void {
  const digestName = HASHES[signer.digestAlgorithm.algorithm];
  const { algorithm } = signer.signatureAlgorithm;
  if (digestName === undefined || !(algorithm in SIGNATURES))
    throw new TokenRefused('it is signed with an unknown algorithm');
  const type = attributeOf(signer, ATTRIBUTES.contentType);
  const digest = attributeOf(signer, ATTRIBUTES.messageDigest);
  const { result } = type ? fromBER(type) : {};
  if (!(result instanceof ObjectIdentifier) || result.valueBlock.toString() !== TST_INFO)
    refuse('its signature is not over a timestamp');
  if (
    !digest ||
    !hash(digestName, content).equals(Buffer.from(AsnConvert.parse(digest, OctetString).buffer))
  )
    refuse('its content was changed');
  const name = SIGNATURES[algorithm] ?? digestName;
  const signed = signedBytesIn(bytes);
  if (!verify(name, signed, certificate.publicKey, Buffer.from(signer.signature.buffer)))
    refuse('its signature is wrong');
}

/**
 * Verifies a token completely: digest, nonce, signature, the purpose of its certificate, and the
 * chain to one of the authorities at the time of the token.
 * @throws TokenRefused
 */
export function verifyToken(token: Uint8Array, expected: ExpectedToken): Timestamp {
  try {
    return verifyParsed(token, expected);
  } catch (error) {
    if (error instanceof TokenRefused) throw error;
    throw new TokenRefused('it cannot be read', { cause: error });
  }
}

function verifyParsed(token: Uint8Array, { digest, nonce, authorities }: ExpectedToken): Timestamp {
  const outer = AsnConvert.parse(token, ContentInfo);
  if (outer.contentType !== SIGNED_DATA) refuse('it is not signed');
  const {
    encapContentInfo,
    signerInfos,
    certificates = [],
  } = AsnConvert.parse(outer.content, SignedData);
  const [signer, ...others] = signerInfos;
  const single = encapContentInfo.eContent?.single;
  if (encapContentInfo.eContentType !== TST_INFO || !signer || others.length > 0 || !single)
    return refuse('its content is no timestamp');
  const content = Buffer.from(single.buffer);
  const stamped = readStamped(content);
  if (!stamped.imprint.equals(digest)) refuse('it is over another text');
  if (nonce !== undefined && stamped.nonce !== nonce) refuse('it answers another request');
  const leaf = new X509Certificate(certificateOf(signer, certificates));
  assertSigned({ signer, bytes: outer.content, content }, leaf);
  assertNamesItsCertificate(signer, leaf);
  assertForTimestamps(leaf);
  const known = certificates
    .slice(0, MOST_CERTIFICATES)
    .flatMap(({ certificate }) =>
      certificate ? new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))) : [],
    );
  assertTrusted(leaf, known, { authorities, time: stamped.time });
  return { time: stamped.time, authority: leaf.subject.replaceAll('\n', ', ') };
}
