// Verifies timestamp tokens (RFC 3161) with Web Crypto, in Node and in browsers, without packages.
const { subtle } = globalThis.crypto;
export const createDecoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
export const text = (bytes) => createDecoder().decode(bytes);
export const utf8 = (content) => new TextEncoder().encode(content);
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
export const fromHex = (digits) =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number(`0x${pair}`));
export const fromBase64 = (base64) =>
  Uint8Array.from(atob(base64.replace(/\s/g, '')), (letter) => letter.charCodeAt(0));
const hash = async (name, bytes) => new Uint8Array(await subtle.digest(name, bytes));
const isSame = (one, other) => hex(one) === hex(other);

function assert(isTrue, problem) {
  if (!isTrue) throw new Error(problem);
}

/** Reads DER elements that follow each other: the tag, the content and all bytes of each. */
function elementsOf(bytes) {
  const elements = [];
  for (let at = 0; at < bytes.length; ) {
    let [length, start] = [bytes[at + 1], at + 2];
    if (length >= 0x80) {
      assert(length > 0x80 && length <= 0x84, 'a length is not in DER');
      start += length - 0x80;
      length = Number(`0x${hex(bytes.subarray(at + 2, start))}`);
    }
    const end = start + length;
    assert(end <= bytes.length, 'an element is cut off');
    const [content, all] = [bytes.subarray(start, end), bytes.subarray(at, end)];
    elements.push({ tag: bytes[at], content, all });
    at = end;
  }
  return elements;
}
const inside = (element) => elementsOf(element?.content ?? new Uint8Array());

// Object identifiers in DER, with their names.
const OIDS = new Map(
  `2a864886f70d010702 signed data, 2a864886f70d0109100104 timestamp,
  2a864886f70d010903 content type, 2a864886f70d010904 message digest,
  2a864886f70d010910022f signing certificate, 2a864886f70d010910020c signing certificate 1,
  608648016503040201 SHA-256, 608648016503040202 SHA-384, 608648016503040203 SHA-512,
  2a864886f70d010101 RSA, 2a864886f70d01010b RSA SHA-256, 2a864886f70d01010c RSA SHA-384,
  2a864886f70d01010d RSA SHA-512, 2a8648ce3d040302 ECDSA SHA-256, 2a8648ce3d040303 ECDSA SHA-384,
  2a8648ce3d040304 ECDSA SHA-512, 2a8648ce3d0201 EC, 2a8648ce3d030107 P-256, 2b81040022 P-384,
  2b81040023 P-521, 551d25 purposes, 551d13 constraints, 2b06010505070308 timestamping`
    .split(/,\s+/)
    .map((line) => line.split(/ (.*)/)),
);
const oidOf = (element) => (element?.tag === 6 ? OIDS.get(hex(element.content)) : undefined);

/** Reads UTCTime, with two digits of the year, and GeneralizedTime. */
function timeOf({ tag, content }) {
  const short = tag === 0x17 ? text(content.subarray(0, 2)) : '';
  const time = `${short && (short < '50' ? '20' : '19')}${text(content)}`;
  assert(/^\d{14}(\.\d+)?Z$/.test(time), 'a time is not in UTC');
  return new Date(time.replace(/^(....)(..)(..)(..)(..)/, '$1-$2-$3T$4:$5:'));
}

/** Reads the parts of a certificate that prove a token. */
function readCertificate(der) {
  const [tbs, algorithm, signature] = inside(elementsOf(der)[0]);
  const parts = inside(tbs).filter(({ tag }) => tag !== 0xa0);
  const [serial, , issuer, validity, subject, key] = parts;
  const [from, to] = inside(validity).map(timeOf);
  const extensions = inside(inside(parts.find(({ tag }) => tag === 0xa3))[0]).map(inside);
  const extensionOf = (name) => {
    const [, ...more] = extensions.find(([oid]) => oidOf(oid) === name) ?? [];
    return [inside(inside(more.at(-1))[0]), more.length > 1 && more[0].content[0] !== 0];
  };
  const [[constraint]] = extensionOf('constraints');
  const [purposes, isCritical] = extensionOf('purposes');
  const names = { serial: serial.content, issuer: issuer.all, subject: subject.all };
  const signed = { algorithm: oidOf(inside(algorithm)[0]), tbs: tbs.all, key: key.all, der };
  return {
    ...{ ...names, ...signed, signature: signature.content.subarray(1) },
    isValidAt: (time) => from <= time && time <= to,
    isAuthority: constraint?.tag === 1 && constraint.content[0] !== 0,
    isForTimestamps: isCritical && purposes.map(oidOf).join() === 'timestamping',
  };
}

/** Returns the certificates of a PEM file. */
export const certificatesIn = (pem) =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----([\w+/=\s]+)-----END CERTIFICATE-----/g)].map(
    ([, base64]) => readCertificate(fromBase64(base64)),
  );

/** Returns true if a key signed the bytes. Web Crypto takes ECDSA as two equally long numbers. */
async function isSigned({ key, algorithm, digest, signature, bytes }) {
  const [kind, ownDigest = digest] = algorithm?.split(' ') ?? [];
  const [type, namedCurve] = inside(inside(elementsOf(key)[0])[0]).map(oidOf);
  let [name, numbers] = ['RSASSA-PKCS1-v1_5', signature];
  if (kind === 'ECDSA' && type === 'EC' && namedCurve) {
    const digits = 2 * Math.ceil(Number(namedCurve.slice(2)) / 8);
    const parts = inside(elementsOf(signature)[0]).map(({ content }) => hex(content));
    numbers = fromHex(parts.map((part) => part.replace(/^00/, '').padStart(digits, '0')).join(''));
    name = 'ECDSA';
  } else if (kind !== 'RSA' || type !== 'RSA') return false;
  const how = { name, hash: ownDigest, namedCurve };
  const imported = await subtle.importKey('spki', key, how, false, ['verify']);
  return subtle.verify(how, imported, numbers, bytes);
}

/** Returns true if the certificates lead from the signer to an authority at the time. */
async function isTrusted(leaf, known, { authorities, time }) {
  let current = leaf;
  for (let step = 0; current && step < 10; step++) {
    let issuer;
    for (const by of [...authorities, ...known.filter((one) => one !== current)]) {
      const canSign = by.isAuthority && by.isValidAt(time) && isSame(by.subject, current.issuer);
      if (!issuer && canSign && (await isSigned({ ...current, bytes: current.tbs, key: by.key })))
        issuer = by;
    }
    if (authorities.includes(issuer)) return true;
    current = issuer;
  }
  return false;
}

/** Verifies a token of RFC 3161 over a text. Returns its time. @throws Error with the problem */
export async function verifyToken(token, statement, authorities) {
  const [type, outer] = inside(elementsOf(token)[0]);
  const [, , encapsulated, ...more] = inside(inside(outer)[0]);
  const [contentType, wrapped] = inside(encapsulated);
  assert(oidOf(type) === 'signed data' && oidOf(contentType) === 'timestamp', 'it is no timestamp');
  const { content } = inside(wrapped)[0];
  const [, , imprint, , generated] = inside(elementsOf(content)[0]);
  const [algorithm, stamped] = inside(imprint);
  assert(oidOf(inside(algorithm)[0]) === 'SHA-256', 'its digest is not SHA-256');
  const isOver = isSame(stamped.content, await hash('SHA-256', utf8(statement)));
  assert(isOver, 'it is over another statement: the statement was changed');
  const signers = inside(more.at(-1));
  assert(signers.length === 1, 'it does not have one signer');
  const [, sid, digestAlgorithm, attributes, signatureAlgorithm, signature] = inside(signers[0]);
  assert(attributes?.tag === 0xa0, 'it has no signed attributes');
  const known = inside(more.find(({ tag }) => tag === 0xa0)).map(({ all }) => readCertificate(all));
  const [issuer, serial] = inside(sid);
  const isSigner = (one) => isSame(one.issuer, issuer.all) && isSame(one.serial, serial.content);
  const leaf = known.find(isSigner);
  assert(leaf, 'it has no certificate');
  const attributeOf = (name) =>
    inside(inside(inside(attributes).find((one) => oidOf(inside(one)[0]) === name))[1])[0];
  const digest = oidOf(inside(digestAlgorithm)[0]);
  const isOwn = isSame(attributeOf('message digest')?.content ?? [], await hash(digest, content));
  assert(isOwn && oidOf(attributeOf('content type')) === 'timestamp', 'its content was changed');
  const second = attributeOf('signing certificate');
  const attribute = second ?? attributeOf('signing certificate 1');
  const [own, ...others] = inside(inside(inside(attribute)[0])[0]);
  const chosen = own?.tag === 0x30 ? oidOf(inside(own)[0]) : undefined;
  const leafDigest = [own, ...others].find((one) => one?.tag === 4)?.content ?? [];
  const leafHash = await hash(second ? (chosen ?? 'SHA-256') : 'SHA-1', leaf.der);
  assert(isSame(leafDigest, leafHash), 'it does not name its certificate');
  const bytes = Uint8Array.of(0x31, ...attributes.all.subarray(1));
  const how = { algorithm: oidOf(inside(signatureAlgorithm)[0]), signature: signature.content };
  assert(await isSigned({ ...how, key: leaf.key, digest, bytes }), 'its signature is wrong');
  assert(leaf.isForTimestamps, 'its certificate is not for timestamps only');
  const time = timeOf(generated);
  assert(leaf.isValidAt(time), 'the certificate was not valid at the time of the token');
  const isKnown = await isTrusted(leaf, known, { authorities, time });
  assert(isKnown, 'the certificate does not lead to the given CA');
  return time;
}
