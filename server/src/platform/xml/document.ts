import { createRequire } from 'node:module';

/** Members of the DOM that we use; the package's own types depend on those of browsers. */
export interface XmlNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly firstChild: XmlNode | null;
  readonly nextSibling: XmlNode | null;
}
interface XmlAttribute {
  readonly name: string;
  readonly value: string;
}
export interface XmlElement extends XmlNode {
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly ownerDocument: XmlDocument;
  readonly attributes: Iterable<XmlAttribute>;
  hasAttribute(name: string): boolean;
  getAttribute(name: string): string | null;
}
export interface XmlDocument extends XmlNode {
  readonly documentElement: XmlElement | null;
}

interface Parser {
  readonly DOMParser: new (options: {
    /** Called for warnings and errors. If it throws, parsing stops. */
    onError: () => void;
    locator: boolean;
    normalizeLineEndings: (text: string) => string;
  }) => { parseFromString(text: string, type: 'text/xml'): XmlDocument };
}

/** The only parser of XML: the signature library works on its documents and parses none itself. */
const { DOMParser } = createRequire(import.meta.url)('@xmldom/xmldom') as Parser;

/** The XML is rejected. The message has the reason without any content. */
export class XmlRefused extends Error {
  override readonly name = 'XmlRefused';
}

/** Limits far above real messages. Canonicalization takes time per element. */
const MAX_ELEMENTS = 2_500;
const MAX_DEPTH = 100;
/** Attributes of one tag, namespaces included. */
const MAX_TAG_ATTRIBUTES = 64;
/** Attributes of a document, for each element that it may have. */
const ATTRIBUTES_PER_ELEMENT = 2;
/** Namespaces: the parser copies those in force for each element that declares one. */
const NAMESPACES_PER_ELEMENT = 0.2;
/** Characters before `=` in which `xmlns` begins; a longer name counts as an attribute. */
const MAX_PREFIX = 72;
const NAMESPACE = /\sxmlns(:[^\s=]*)?\s*$/;
/** Characters that no XML has, also not by reference. */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const REFERENCE = /&(?:(?:amp|lt|gt|quot|apos|#0*(\d{1,7})|#x0*([\da-fA-F]{1,6}));)?/g;
const XML_NAMESPACE = 'http://www.w3.org/XML/1998/namespace';
const DECLARATION = /^\s*<\?xml\s[^<>]{1,200}\?>/;
const ELEMENT = 1;
const DOCUMENT_TYPE = 10;

const isElement = (node: XmlNode): node is XmlElement => node.nodeType === ELEMENT;

/** A start tag, read without the parser. */
interface StartTag {
  /** Index of its `>`. */
  readonly end: number;
  readonly attributes: number;
  readonly namespaces: number;
}

/** Reads the start tag at an index, in linear time. @throws XmlRefused */
function startTagAt(text: string, at: number): StartTag {
  let attributes = 0;
  let namespaces = 0;
  for (let end = at + 1; end < text.length; end++) {
    const character = text[end];
    if (character === '>') return { end, attributes, namespaces };
    if (character === '<') break;
    if (character === '=') {
      if (++attributes > MAX_TAG_ATTRIBUTES) throw new XmlRefused('a tag has too many attributes');
      if (NAMESPACE.test(text.slice(Math.max(at, end - MAX_PREFIX), end))) namespaces++;
    } else if (character === '"' || character === "'") {
      end = text.indexOf(character, end + 1);
      if (end === -1) break;
    }
  }
  throw new XmlRefused('the document is not well-formed');
}

/**
 * Rejects text between tags, or a tag, whose references or marks are malformed. The parser takes
 * some of them as text. @throws XmlRefused
 */
function assertText(text: string, isTag: boolean): void {
  for (const [reference, decimal, hexadecimal] of text.matchAll(REFERENCE)) {
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '20', 16);
    const isKnown = code <= 0x10ffff && !NO_CHARACTER.test(String.fromCodePoint(code));
    if (reference === '&' || !isKnown) throw new XmlRefused('the document is not well-formed');
  }
  if (!isTag && text.includes(']]>')) throw new XmlRefused('the document is not well-formed');
}

/**
 * Rejects input for which the parser needs more than linear time or too much of it, in one pass
 * before parsing: instructions, document types, unclosed comments, and too many elements,
 * attributes, namespaces and levels.
 * @throws XmlRefused
 */
function assertCheap(text: string, maxElements: number): void {
  if (NO_CHARACTER.test(text)) throw new XmlRefused('the document is not well-formed');
  const start = DECLARATION.exec(text)?.[0].length ?? 0;
  let from = start;
  let markup = 0;
  let depth = 0;
  let attributes = 0;
  let namespaces = 0;
  for (let at = text.indexOf('<', start); at !== -1; at = text.indexOf('<', at + 1)) {
    assertText(text.slice(from, at), false);
    // An element has two tags.
    if (++markup > maxElements * 2) throw new XmlRefused('the document has too many elements');
    const next = text[at + 1];
    if (next === '?') throw new XmlRefused('a processing instruction is not accepted');
    if (next === '/') depth--;
    else if (next === '!') at = endOfSection(text, at);
    else {
      const tag = startTagAt(text, at);
      attributes += tag.attributes;
      namespaces += tag.namespaces;
      if (attributes > maxElements * ATTRIBUTES_PER_ELEMENT)
        throw new XmlRefused('the document has too many attributes');
      if (namespaces > maxElements * NAMESPACES_PER_ELEMENT)
        throw new XmlRefused('the document has too many namespaces');
      if (text[tag.end - 1] !== '/' && ++depth > MAX_DEPTH)
        throw new XmlRefused('the document has too many levels');
      assertText(text.slice(at, tag.end), true);
      at = tag.end;
    }
    from = at + 1;
  }
  assertText(text.slice(from), false);
}

/** Returns the end of a comment or a section of text. @throws XmlRefused */
function endOfSection(text: string, at: number): number {
  const close = text.startsWith('<!--', at)
    ? '-->'
    : text.startsWith('<![CDATA[', at)
      ? ']]>'
      : undefined;
  if (!close) throw new XmlRefused('a document type is not accepted');
  const end = text.indexOf(close, at + 4);
  if (end === -1) throw new XmlRefused('the document is not well-formed');
  return end;
}

/** Line ends of XML 1.0. The parser takes those of XML 1.1 by default, which change signed text. */
const normalizeLineEndings = (text: string): string => text.replace(/\r\n?/g, '\n');

/**
 * Parses XML from an untrusted sender. Rejects document types, entities and malformed text.
 *
 * @throws XmlRefused
 */
export function readXml(
  text: string,
  maxCharacters: number,
  maxElements = MAX_ELEMENTS,
): XmlDocument {
  if (text.length > maxCharacters) throw new XmlRefused('the document is too large');
  assertCheap(text, maxElements);
  const refuse = (): never => {
    throw new XmlRefused('the document is not well-formed');
  };
  let document: XmlDocument;
  try {
    const parser = new DOMParser({ onError: refuse, locator: false, normalizeLineEndings });
    document = parser.parseFromString(text, 'text/xml');
  } catch {
    return refuse();
  }
  if (!document.documentElement) throw new XmlRefused('the document is empty');
  for (let node = document.firstChild; node; node = node.nextSibling)
    if (node.nodeType === DOCUMENT_TYPE) throw new XmlRefused('a document type is not accepted');
  assertBounded(document.documentElement, maxElements);
  return document;
}

function assertBounded(root: XmlElement, maxElements: number): void {
  let count = 0;
  const waiting: [XmlElement, number][] = [[root, 1]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [element, depth] = next;
    if (++count > maxElements || depth > MAX_DEPTH)
      throw new XmlRefused('the document has too many elements');
    assertPrefixes(element);
    for (const child of elementsOf(element)) waiting.push([child, depth + 1]);
  }
}

/** Rejects prefixes that Namespaces in XML 1.0 rejects. */
function assertPrefixes({ attributes }: XmlElement): void {
  for (const { name, value } of attributes) {
    if (!name.startsWith('xmlns:')) continue;
    const isXml = name === 'xmlns:xml';
    if (value === '' || name === 'xmlns:xmlns' || isXml !== (value === XML_NAMESPACE))
      throw new XmlRefused('the document is not well-formed');
  }
}

/** Returns the child elements. */
export function elementsOf(parent: XmlNode): XmlElement[] {
  const elements: XmlElement[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling)
    if (isElement(node)) elements.push(node);
  return elements;
}

export const isNamed = (element: XmlElement, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name;

/** Returns the child elements with a name. */
export function childrenOf(parent: XmlNode, namespace: string, name: string): XmlElement[] {
  return elementsOf(parent).filter((element) => isNamed(element, namespace, name));
}

/**
 * Returns the only child element with a name; undefined if none exists.
 * @throws XmlRefused if there are several
 */
export function onlyChild(
  parent: XmlNode,
  namespace: string,
  name: string,
): XmlElement | undefined {
  const elements = childrenOf(parent, namespace, name);
  if (elements.length > 1) throw new XmlRefused(`there is more than one ${name}`);
  return elements[0];
}

/**
 * Returns the text of an element. A comment or element inside would split the text and is rejected.
 * @throws XmlRefused
 */
export function textOf(element: XmlElement): string {
  let text = '';
  for (let node = element.firstChild; node; node = node.nextSibling) {
    if (node.nodeType !== 3 && node.nodeType !== 4)
      throw new XmlRefused(`${element.localName} has more than text in it`);
    text += node.nodeValue ?? '';
  }
  return text.trim();
}

/** Returns an attribute without a namespace; undefined if it is absent. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.hasAttribute(name) ? (element.getAttribute(name) ?? undefined) : undefined;
}

/** Escapes a text for XML content and attributes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
