// Verifies timestamp tokens (RFC 3161) with Web Crypto, in Node and in browsers, without packages.
const { subtle } = globalThis.crypto;
const utf8 = new TextEncoder();
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
export const fromHex = (text) =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number(`0x${pair}`));
export const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replace(/\s/g, '')), (letter) => letter.charCodeAt(0));
const hash = async (name, bytes) => new Uint8Array(await subtle.digest(name, bytes));
const isSame = (one, other) => hex(one) === hex(other);

/** Reads one DER element: its tag, its content and all of its bytes. */
function readElement(bytes, at = 0) {
  let length = bytes[at + 1];
  let start = at + 2;
  if (length >= 0x80) {
    const digits = length - 0x80;
    if (digits === 0 || digits > 4) throw new Error('a length is not in DER');
    length = 0;
    for (let index = 0; index < digits; index++) length = length * 256 + bytes[start + index];
    start += digits;
  }
  const end = start + length;
  if (!(end <= bytes.length)) throw new Error('an element is cut off');
  return { tag: bytes[at], content: bytes.subarray(start, end), all: bytes.subarray(at, end), end };
}

function childrenOf(content) {
  const children = [];
  for (let at = 0; at < content.length; ) {
    const child = readElement(content, at);
    children.push(child);
    at = child.end;
  }
  return children;
}
const inside = (element) => childrenOf(element?.content ?? new Uint8Array());

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
    .map((one) => [one.slice(0, one.indexOf(' ')), one.slice(one.indexOf(' ') + 1)]),
);
const oidOf = (element) => (element?.tag === 6 ? OIDS.get(hex(element.content)) : undefined);

/** Reads UTCTime and GeneralizedTime in UTC. */
function timeOf({ tag, content }) {
  const text = new TextDecoder().decode(content);
  const [, year, rest] =
    (tag === 0x17 ? /^(\d\d)(\d{10}(?:\.\d+)?)Z$/ : /^(\d{4})(\d{10}(?:\.\d+)?)Z$/).exec(text) ??
    [];
  if (!rest) throw new Error('a time is not in UTC');
  const full = tag === 0x17 ? (Number(year) < 50 ? `20${year}` : `19${year}`) : year;
  const [month, day, hour, minute, ...seconds] = [0, 2, 4, 6].map((at) => rest.slice(at, at + 2));
  return new Date(`${full}-${month}-${day}T${hour}:${minute}:${rest.slice(8)}${seconds.join('')}Z`);
}

/** Reads the parts of a certificate that prove a token. */
function readCertificate(der) {
  const [tbs, algorithm, signature] = inside(readElement(der));
  const parts = inside(tbs).filter(({ tag }) => tag !== 0xa0);
  const [serial, , issuer, validity, subject, key] = parts;
  const [from, to] = inside(validity).map(timeOf);
  const extensions = inside(inside(parts.find(({ tag }) => tag === 0xa3))[0]).map((one) => {
    const [oid, ...more] = inside(one);
    return {
      name: oidOf(oid),
      isCritical: more.length > 1 && more[0].content[0] !== 0,
      // The content of other extensions may be no sequence.
      value: oidOf(oid) ? inside(readElement(more.at(-1).content)) : [],
    };
  });
  const constraints = extensions.find(({ name }) => name === 'constraints')?.value[0];
  return {
    der,
    tbs: tbs.all,
    algorithm: oidOf(inside(algorithm)[0]),
    signature: signature.content.subarray(1),
    serial: serial.content,
    issuer: issuer.all,
    subject: subject.all,
    from,
    to,
    key: key.all,
    isAuthority: constraints?.tag === 1 && constraints.content[0] !== 0,
    purposes: extensions.find(({ name }) => name === 'purposes'),
  };
}

/** Returns the certificates of a PEM file. */
export const certificatesIn = (pem) =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----([\w+/=\s]+)-----END CERTIFICATE-----/g)].map(
    ([, text]) => readCertificate(fromBase64(text)),
  );

/** Returns true if a key signed the bytes. Web Crypto takes ECDSA as two equally long numbers. */
async function isSigned({ key, algorithm, digest, signature, bytes }) {
  const [kind, ownDigest = digest] = algorithm?.split(' ') ?? [];
  const [type, curve] = inside(inside(readElement(key))[0]).map(oidOf);
  if (kind === 'RSA' && type === 'RSA') {
    const how = { name: 'RSASSA-PKCS1-v1_5', hash: ownDigest };
    const imported = await subtle.importKey('spki', key, how, false, ['verify']);
    return subtle.verify(how, imported, signature, bytes);
  }
  if (kind !== 'ECDSA' || type !== 'EC' || !curve) return false;
  const length = Math.ceil(Number(curve.slice(2)) / 8);
  const numbers = inside(readElement(signature)).map(({ content }) => {
    const number = new Uint8Array(length);
    const digits = content[0] === 0 ? content.subarray(1) : content;
    number.set(digits, length - digits.length);
    return number;
  });
  const raw = new Uint8Array(2 * length);
  for (const [index, number] of numbers.entries()) raw.set(number, index * length);
  const how = { name: 'ECDSA', namedCurve: curve };
  const imported = await subtle.importKey('spki', key, how, false, ['verify']);
  return subtle.verify({ name: 'ECDSA', hash: ownDigest }, imported, raw, bytes);
}

/** @throws Error unless the certificates lead from the signer to an authority at the time */
async function assertTrusted(leaf, known, authorities, time) {
  const isValid = ({ from, to }) => from <= time && time <= to;
  if (!isValid(leaf)) throw new Error('the certificate was not valid at the time of the token');
  let current = leaf;
  for (let step = 0; step < 10; step++) {
    const issuerIn = async (list) => {
      for (const by of list)
        if (
          by.isAuthority &&
          isValid(by) &&
          isSame(by.subject, current.issuer) &&
          (await isSigned({ ...current, bytes: current.tbs, key: by.key }))
        )
          return by;
    };
    if (await issuerIn(authorities)) return;
    const next = await issuerIn(known.filter(({ der }) => !isSame(der, current.der)));
    if (!next) break;
    current = next;
  }
  throw new Error('the certificate does not lead to the given CA');
}

/** Verifies a token of RFC 3161 over a text. Returns its time. @throws Error with the problem */
export async function verifyToken(token, text, authorities) {
  const [type, outer] = inside(readElement(token));
  const [, , encapsulated, ...more] = inside(inside(outer)[0]);
  const [contentType, wrapped] = inside(encapsulated);
  if (oidOf(type) !== 'signed data' || oidOf(contentType) !== 'timestamp')
    throw new Error('it is no timestamp');
  const content = inside(wrapped)[0].content;
  const [, , imprint, , time] = inside(readElement(content));
  const [algorithm, stamped] = inside(imprint);
  if (oidOf(inside(algorithm)[0]) !== 'SHA-256') throw new Error('its digest is not SHA-256');
  if (hex(stamped.content) !== hex(await hash('SHA-256', utf8.encode(text))))
    throw new Error('it is over another statement: the statement was changed');
  const signers = inside(more.at(-1));
  if (signers.length !== 1) throw new Error('it does not have one signer');
  const [, sid, digestAlgorithm, attributes, signatureAlgorithm, signature] = inside(signers[0]);
  if (attributes?.tag !== 0xa0) throw new Error('it has no signed attributes');
  const known = inside(more.find(({ tag }) => tag === 0xa0)).map(({ all }) => readCertificate(all));
  const [issuer, serial] = inside(sid);
  const leaf = known.find(
    (one) => isSame(one.issuer, issuer.all) && isSame(one.serial, serial.content),
  );
  if (!leaf) throw new Error('it has no certificate');
  const attributeOf = (name) =>
    inside(inside(inside(attributes).find((one) => oidOf(inside(one)[0]) === name))[1])[0];
  const digest = oidOf(inside(digestAlgorithm)[0]);
  if (
    oidOf(attributeOf('content type')) !== 'timestamp' ||
    !isSame(attributeOf('message digest')?.content ?? [], await hash(digest, content))
  )
    throw new Error('its content was changed');
  const second = attributeOf('signing certificate');
  const certificateId = inside(
    inside(inside(second ?? attributeOf('signing certificate 1'))[0])[0],
  );
  const chosen = certificateId[0]?.tag === 0x30 ? oidOf(inside(certificateId[0])[0]) : undefined;
  const name = second ? (chosen ?? 'SHA-256') : 'SHA-1';
  const certificateHash = certificateId.find(({ tag }) => tag === 4)?.content ?? [];
  if (!isSame(certificateHash, await hash(name, leaf.der)))
    throw new Error('it does not name its certificate');
  const bytes = Uint8Array.from(attributes.all);
  bytes[0] = 0x31;
  const how = { algorithm: oidOf(inside(signatureAlgorithm)[0]), signature: signature.content };
  if (!(await isSigned({ ...how, key: leaf.key, digest, bytes })))
    throw new Error('its signature is wrong');
  if (!leaf.purposes?.isCritical || leaf.purposes.value.map(oidOf).join() !== 'timestamping')
    throw new Error('its certificate is not for timestamps only');
  const at = timeOf(time);
  await assertTrusted(leaf, known, authorities, at);
  return at;
}
