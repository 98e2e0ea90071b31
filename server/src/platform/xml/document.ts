import { onUse } from '../on-use.ts';

/** What of a document we look at; the package's own types are those of browsers. */
export interface XmlNode {
  readonly nodeType: number;
  readonly nodeValue: string | null;
  readonly firstChild: XmlNode | null;
  readonly nextSibling: XmlNode | null;
}
export interface XmlElement extends XmlNode {
  readonly localName: string;
  readonly namespaceURI: string | null;
  hasAttribute(name: string): boolean;
  getAttribute(name: string): string | null;
}
export interface XmlDocument extends XmlNode {
  readonly documentElement: XmlElement | null;
}

type Report = () => void;
interface Parser {
  readonly DOMParser: new (options: {
    errorHandler: { warning: Report; error: Report; fatalError: Report };
  }) => { parseFromString(text: string, type: string): XmlDocument | undefined };
}

/** The parser that the library for signatures uses as well: two could read one text in two ways. */
const parser = onUse<Parser>('@xmldom/xmldom');

/** A text is no XML that we read; the message says why, without any of its content. */
export class XmlRefused extends Error {
  override readonly name = 'XmlRefused';
}

/** Limits of a document: those of real messages are far below. Canonical forms take time for each element. */
const MAX_ELEMENTS = 2_500;
const MAX_DEPTH = 100;
const DECLARATION = /^\s*<\?xml\s[^<>]{1,200}\?>/;
const ELEMENT = 1;
const DOCUMENT_TYPE = 10;

const isElement = (node: XmlNode): node is XmlElement => node.nodeType === ELEMENT;

/**
 * Refuses what the parser needs more than linear time for, in one pass before it parses: instructions, document types, unclosed comments and
 * too much markup. @throws XmlRefused
 */
function assertCheap(text: string, maxElements: number): void {
  const start = DECLARATION.exec(text)?.[0].length ?? 0;
  let markup = 0;
  for (let at = text.indexOf('<', start); at !== -1; at = text.indexOf('<', at + 1)) {
    // An element has two tags.
    if (++markup > maxElements * 2) throw new XmlRefused('the document has too many elements');
    const next = text[at + 1];
    if (next === '?') throw new XmlRefused('a processing instruction is not accepted');
    if (next !== '!') continue;
    const close = text.startsWith('<!--', at)
      ? '-->'
      : text.startsWith('<![CDATA[', at)
        ? ']]>'
        : undefined;
    if (!close) throw new XmlRefused('a document type is not accepted');
    const end = text.indexOf(close, at + 4);
    if (end === -1) throw new XmlRefused('the document is not well-formed');
    at = end;
  }
}

/**
 * Reads XML from an untrusted sender. A document type and every entity are refused before parsing, and so is a text that is not well-formed.
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
  const refuse = () => {
    throw new XmlRefused('the document is not well-formed');
  };
  let document: XmlDocument | undefined;
  try {
    document = new (parser().DOMParser)({
      errorHandler: { warning: refuse, error: refuse, fatalError: refuse },
    }).parseFromString(text, 'text/xml');
  } catch (error) {
    if (error instanceof XmlRefused) throw error;
    refuse();
  }
  if (!document?.documentElement) throw new XmlRefused('the document is empty');
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
    for (const child of elementsOf(element)) waiting.push([child, depth + 1]);
  }
}

/** The elements directly in another. */
export function elementsOf(parent: XmlNode): XmlElement[] {
  const found: XmlElement[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling)
    if (isElement(node)) found.push(node);
  return found;
}

/** Whether an element has a name in a namespace. */
export const isNamed = (element: XmlElement, namespace: string, name: string): boolean =>
  element.namespaceURI === namespace && element.localName === name;

/** The elements of a name directly in another. */
export function childrenOf(parent: XmlNode, namespace: string, name: string): XmlElement[] {
  return elementsOf(parent).filter((element) => isNamed(element, namespace, name));
}

/** The one element of a name directly in another; undefined when there is none. @throws XmlRefused when there are several */
export function onlyChild(
  parent: XmlNode,
  namespace: string,
  name: string,
): XmlElement | undefined {
  const found = childrenOf(parent, namespace, name);
  if (found.length > 1) throw new XmlRefused(`there is more than one ${name}`);
  return found[0];
}

/** The text of an element that has nothing else in it: a comment or an element within would cut it. @throws XmlRefused */
export function textOf(element: XmlElement): string {
  let text = '';
  for (let node = element.firstChild; node; node = node.nextSibling) {
    if (node.nodeType !== 3 && node.nodeType !== 4)
      throw new XmlRefused(`${element.localName} has more than text in it`);
    text += node.nodeValue ?? '';
  }
  return text.trim();
}

/** An attribute without a namespace; undefined when it is absent. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.hasAttribute(name) ? (element.getAttribute(name) ?? undefined) : undefined;
}

/** A text as XML writes it between tags and in attributes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
