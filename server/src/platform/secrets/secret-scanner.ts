import { findEntry, nextAnchor, undecidedFrom } from './find-secrets.ts';
import { BLOCK_END, NOT_IN_BLOCK, type SecretKind } from './formats.ts';

/** A range of a text to mask. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly kind: SecretKind;
}

export interface Scanned {
  readonly marks: readonly Mark[];
  /** The text up to here is decided; the rest must be scanned again with more text. */
  readonly upTo: number;
}

/** Maximum length of a block of lines, such as a private key of 16 kilobits. */
const MAX_BLOCK = 24 * 1024;
/** Text before a position that can say what follows it, such as the name of a value. */
export const CONTEXT = 256;
/** Maximum text that waits for more. */
const MAX_WAITING = 4 * 1024;
/** Shortest known secret that is masked: shorter ones occur in ordinary text. */
const MIN_KNOWN = 6;

type State =
  | { readonly what: 'value'; readonly kind: SecretKind; readonly more: RegExp }
  | { readonly what: 'block'; readonly left: number }
  | { readonly what: 'data' };

/** Finds secrets in a text that arrives in pieces. */
export class SecretScanner {
  private state: State | undefined;
  private readonly known: readonly string[];
  /** True if the text before was decided while it could still continue. */
  private isCut = false;

  /** `known` secrets are found wherever they appear. */
  constructor(known: readonly string[] = []) {
    this.known = known
      .map((secret) => Buffer.from(secret).toString('latin1'))
      .filter((secret) => secret.length >= MIN_KNOWN && !secret.includes('\n'));
  }

  /**
   * Scans a text, one byte per character, from `from`; the text before is context. With `isLast`,
   * everything is decided now.
   */
  scan(text: string, from: number, isLast: boolean): Scanned {
    const marks: Mark[] = [];
    let at = from;
    let search = this.isCut ? Math.max(0, from - CONTEXT) : from;
    this.isCut = isLast;
    for (;;) {
      const { state } = this;
      if (state?.what === 'value') at = this.continueValue(text, at, state, marks);
      else if (state?.what === 'block') at = this.continueBlock(text, at, { state, isLast, marks });
      else if (state?.what === 'data') at = this.continueData(text, at, isLast, marks);
      if (this.state) return this.withKnown(text, at, { from, isLast, marks });
      if (state) search = at;
      const anchor = nextAnchor(text, search, isLast);
      if (!anchor) break;
      if (anchor.what !== 'value') {
        if (anchor.end > from) {
          at = anchor.end;
          this.state =
            anchor.what === 'data' ? { what: 'data' } : { what: 'block', left: MAX_BLOCK };
        } else search = anchor.end;
        continue;
      }
      const { finding, kind } = anchor;
      if (finding === 'more' && text.length - anchor.at < MAX_WAITING)
        return this.withKnown(text, Math.max(from, Math.min(anchor.at, undecidedFrom(text))), {
          from,
          isLast,
          marks,
        });
      if (finding === 'more' || !finding || finding.to <= from) {
        search = anchor.at + 1;
        continue;
      }
      marks.push({ from: Math.max(from, finding.from), to: finding.to, kind });
      at = finding.to;
      search = finding.to;
      if (finding.more) this.state = { what: 'value', kind, more: finding.more };
    }
    const upTo = isLast ? text.length : Math.max(from, undecidedFrom(text));
    return this.withKnown(text, upTo, { from, isLast, marks });
  }

  private continueValue(
    text: string,
    at: number,
    { kind, more }: Extract<State, { what: 'value' }>,
    marks: Mark[],
  ): number {
    more.lastIndex = at;
    const to = at + (more.exec(text)?.[0].length ?? 0);
    if (to > at) marks.push({ from: at, to, kind });
    if (to < text.length) this.state = undefined;
    return to;
  }

  private continueBlock(
    text: string,
    at: number,
    {
      state,
      isLast,
      marks,
    }: {
      readonly state: Extract<State, { what: 'block' }>;
      readonly isLast: boolean;
      readonly marks: Mark[];
    },
  ): number {
    BLOCK_END.lastIndex = Math.max(0, at - 12);
    const end = BLOCK_END.exec(text)?.index;
    let to = Math.max(at, end ?? text.length);
    const foreign = NOT_IN_BLOCK.exec(text.slice(at, to));
    const isCut = foreign !== null;
    if (foreign) to = Math.max(at, text.lastIndexOf('\n', at + foreign.index));
    // The end line may have begun.
    const begun =
      isLast || isCut || end !== undefined ? null : /-{1,5} ?(?:E(?:ND?)?)?$/.exec(text);
    if (begun) to = Math.max(at, begun.index);
    if (to > at) marks.push({ from: at, to, kind: 'private_key' });
    const left = state.left - (to - at);
    this.state = isCut || end !== undefined || left <= 0 ? undefined : { what: 'block', left };
    return to;
  }

  private continueData(text: string, from: number, isLast: boolean, marks: Mark[]): number {
    for (let at = from; ; ) {
      const newline = text.indexOf('\n', at);
      if (newline < 0 && !isLast && text.length - at < MAX_WAITING) return at;
      const line = text.slice(at, newline < 0 ? text.length : newline);
      if (!line.startsWith(' ')) {
        if (line !== '' || newline >= 0) this.state = undefined;
        return at;
      }
      const entry = findEntry(line);
      if (entry && entry !== 'more')
        marks.push({ from: at + entry.from, to: at + entry.to, kind: 'encoded_secret' });
      if (newline < 0) {
        if (entry && entry !== 'more')
          this.state = { what: 'value', kind: 'encoded_secret', more: /[A-Za-z0-9+/=]*/y };
        return text.length;
      }
      at = newline + 1;
    }
  }

  /** Adds the known secrets, and waits for the end of one that has begun. */
  private withKnown(
    text: string,
    decided: number,
    {
      from,
      isLast,
      marks,
    }: { readonly from: number; readonly isLast: boolean; readonly marks: Mark[] },
  ): Scanned {
    let upTo = decided;
    for (const secret of this.known) {
      let at = text.indexOf(secret, Math.max(0, from - secret.length + 1));
      for (; at >= 0; at = text.indexOf(secret, at + secret.length)) {
        const to = at + secret.length;
        if (to > from) marks.push({ from: Math.max(from, at), to, kind: 'known_password' });
      }
      if (!isLast) upTo = Math.min(upTo, Math.max(from, begunFrom(text, secret)));
    }
    return {
      marks: this.known.length === 0 ? marks : marks.toSorted((a, b) => a.from - b.from),
      upTo,
    };
  }
}

/** Returns the position from which the end of the text may be the beginning of `secret`. */
function begunFrom(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return text.length - length;
  return text.length;
}
