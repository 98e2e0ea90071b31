import type { X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';
import {
  attributeOf,
  elementsOf,
  isNamed,
  onlyChild,
  readXml,
  textOf,
  type XmlDocument,
  type XmlElement,
  XmlRefused,
} from './document.ts';

/** Members of the library that we use; its own types depend on those of browsers. */
interface Verifier {
  readonly SignatureAlgorithms: Readonly<
    Record<string, new () => { verifySignature(text: string, key: string, value: string): boolean }>
  >;
  readonly HashAlgorithms: object;
  readonly CanonicalizationAlgorithms: object;
  getCanonXml(transforms: readonly string[], element: XmlElement): string;
  /** Reads the references from the canonical form of SignedInfo. */
  loadSignature(signature: XmlElement): void;
  getReferences(): readonly object[];
  /** Returns the canonical form of the element if it has the digest of its reference. */
  validateReference(reference: object, document: XmlDocument): string | undefined;
}
interface Library {
  readonly SignedXml: new (options: {
    publicCert: string;
    getCertFromKeyInfo: () => null;
  }) => Verifier;
}
const { SignedXml } = createRequire(import.meta.url)('xml-crypto') as Library;

const DS = 'http://www.w3.org/2000/09/xmldsig#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
/** No SHA-1, and no algorithm with a shared key: an attacker could use the public key as one. */
const SIGNATURES = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]);
const DIGESTS = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);
/** Ids that a path expression cannot misread. */
const ID = /^[A-Za-z_][\w.-]{0,255}$/;
const MIN_RSA_BITS = 2_048;

/**
 * Returns the signature that is a child of an element; undefined if it has none.
 * @throws XmlRefused if there are several
 */
export const signatureOf = (element: XmlElement): XmlElement | undefined =>
  onlyChild(element, DS, 'Signature');

function needed(parent: XmlElement, name: string): XmlElement {
  const child = onlyChild(parent, DS, name);
  if (!child) throw new XmlRefused(`the signature has no ${name}`);
  return child;
}

const algorithmOf = (element: XmlElement) => attributeOf(element, 'Algorithm') ?? '';

/**
 * Checks that a signature covers exactly its parent element, with secure algorithms.
 * @throws XmlRefused
 */
function assertShape(signature: XmlElement, id: string): void {
  const info = needed(signature, 'SignedInfo');
  if (algorithmOf(needed(info, 'CanonicalizationMethod')) !== EXCLUSIVE)
    throw new XmlRefused('the canonicalization is not accepted');
  const method = algorithmOf(needed(info, 'SignatureMethod'));
  if (!SIGNATURES.has(method))
    throw new XmlRefused(`the signature algorithm ${method.slice(0, 100)} is not accepted`);
  const reference = needed(info, 'Reference');
  if (attributeOf(reference, 'URI') !== `#${id}`)
    throw new XmlRefused('the signature is for something else');
  const digest = algorithmOf(needed(reference, 'DigestMethod'));
  if (!DIGESTS.has(digest))
    throw new XmlRefused(`the digest algorithm ${digest.slice(0, 100)} is not accepted`);
  needed(reference, 'DigestValue');
  const transforms = elementsOf(needed(reference, 'Transforms')).map(algorithmOf);
  if (transforms.length !== 2 || transforms[0] !== ENVELOPED || transforms[1] !== EXCLUSIVE)
    throw new XmlRefused('the transforms are not accepted');
  // A comment inside would split the value that the library reads.
  textOf(needed(signature, 'SignatureValue'));
  const known = new Set(['SignedInfo', 'SignatureValue', 'KeyInfo']);
  if (!elementsOf(signature).every((part) => part.namespaceURI === DS && known.has(part.localName)))
    throw new XmlRefused('the signature has more in it');
}

/**
 * Verifies the enveloped signature of an element (XML Signature) and returns the signed element,
 * parsed again from its canonical form. Other content of the document cannot be mistaken for it.
 *
 * @param element the element that must be signed, in the document that `readXml` returned
 * @param certificates certificates of trusted keys; a certificate in the document is ignored
 * @throws XmlRefused
 */
export function readSigned(
  element: XmlElement,
  certificates: readonly X509Certificate[],
): XmlDocument {
  const id = attributeOf(element, 'ID') ?? '';
  if (!ID.test(id)) throw new XmlRefused('the signed element has no usable ID');
  const signature = signatureOf(element);
  if (!signature) throw new XmlRefused(`the ${element.localName} is not signed`);
  assertShape(signature, id);
  const canonical = certificates
    .map((certificate) => canonicalBy(signature, certificate))
    .find((canonicalText) => canonicalText !== undefined);
  if (canonical === undefined)
    throw new XmlRefused('the signature is by none of the known certificates');
  // A trusted key signed this text, so only its structure has limits.
  const signed = readXml(canonical, canonical.length);
  const root = signed.documentElement;
  if (
    !root ||
    !isNamed(root, element.namespaceURI ?? '', element.localName) ||
    attributeOf(root, 'ID') !== id
  )
    throw new XmlRefused('the signature is for something else');
  return signed;
}

/**
 * Returns the canonical form of the signed element; undefined if another key signed it. The library
 * parses no text here: it works on the document that we read.
 */
function canonicalBy(signature: XmlElement, certificate: X509Certificate): string | undefined {
  const { publicKey } = certificate;
  if (
    publicKey.asymmetricKeyType !== 'rsa' ||
    (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS
  )
    return undefined;
  const key = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const verifier = new SignedXml({ publicCert: key, getCertFromKeyInfo: () => null });
  keepOnly(verifier.SignatureAlgorithms, SIGNATURES);
  keepOnly(verifier.HashAlgorithms, DIGESTS);
  keepOnly(verifier.CanonicalizationAlgorithms, new Set([EXCLUSIVE, ENVELOPED]));
  try {
    // Verify the value first: the canonical form of a crafted document can take seconds.
    const info = needed(signature, 'SignedInfo');
    const algorithm = verifier.SignatureAlgorithms[algorithmOf(needed(info, 'SignatureMethod'))];
    const value = textOf(needed(signature, 'SignatureValue')).replace(/\s+/g, '');
    if (
      !algorithm ||
      !new algorithm().verifySignature(verifier.getCanonXml([EXCLUSIVE], info), key, value)
    )
      return undefined;
    verifier.loadSignature(signature);
    const [reference, ...others] = verifier.getReferences();
    if (!reference || others.length > 0) return undefined;
    return verifier.validateReference(reference, signature.ownerDocument);
  } catch {
    // The library throws for a malformed value and for two elements with one ID.
    return undefined;
  }
}

function keepOnly(algorithms: object, allowed: ReadonlySet<string>): void {
  for (const name of Object.keys(algorithms))
    if (!allowed.has(name)) Reflect.deleteProperty(algorithms, name);
}
