/** Values of a node: the children by character code, then whether a text ends here. */
const CODES = 128;

/**
 * Finds places where one of many fixed texts may begin, without regard to case, in one pass. A
 * regular expression with as many alternatives tries each of them at each character.
 */
export class Anchors {
  private readonly children: Uint16Array;
  private readonly isEnd: Uint8Array;
  /** Nodes by the first two characters: most places of a text end here. */
  private readonly pairs = new Uint16Array(CODES * CODES);
  private readonly longest: number;

  /** Each text has at least two characters. */
  constructor(texts: readonly string[]) {
    const size = texts.reduce((sum, { length }) => sum + length, 1);
    this.children = new Uint16Array(size * CODES);
    this.isEnd = new Uint8Array(size);
    this.longest = Math.max(...texts.map(({ length }) => length));
    let nodes = 1;
    for (const text of texts) {
      let node = 0;
      for (const character of text) {
        const from = node * CODES;
        node = this.children[from + character.toLowerCase().charCodeAt(0)] ||= nodes++;
        this.children[from + character.toUpperCase().charCodeAt(0)] = node;
      }
      this.isEnd[node] = 1;
    }
    for (let first = 0; first < CODES; first++)
      for (let second = 0; second < CODES; second++)
        this.pairs[first * CODES + second] = this.child(this.child(0, first) || size, second);
  }

  /** Returns the first place at or after `from` where a text begins; -1 if there is none. */
  next(text: string, from: number): number {
    const { pairs, isEnd } = this;
    const { length } = text;
    let code = text.charCodeAt(from);
    for (let at = from; at + 1 < length; at++) {
      const following = text.charCodeAt(at + 1);
      const first = code;
      code = following;
      if (first >= CODES || following >= CODES) continue;
      let node = pairs[first * CODES + following] ?? 0;
      for (let end = at + 2; node > 0; end++) {
        if (isEnd[node] === 1) return at;
        node = end < length ? this.child(node, text.charCodeAt(end)) : 0;
      }
    }
    return -1;
  }

  /** Returns the position from which the end of `text` may be the beginning of one of the texts. */
  begunFrom(text: string): number {
    const { length } = text;
    for (let at = Math.max(0, length - this.longest); at < length; at++) {
      let node = 0;
      let end = at;
      do node = this.child(node, text.charCodeAt(end++));
      while (node > 0 && end < length);
      if (node > 0) return at;
    }
    return length;
  }

  private child(node: number, code: number): number {
    return code < CODES ? (this.children[node * CODES + code] ?? 0) : 0;
  }
}
