import type { Node } from 'typescript/unstable/ast';

/** Marks a parameter in the text of a statement until the parameters are numbered. */
export const PARAMETER = '\u0000';

/** The values of parameters of functions. */
export type Scope = ReadonlyMap<Node, Value>;

/** A value as far as the sources say it. */
export type Value =
  | { readonly kind: 'sql'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  /** Objects of the same expression have the same key. */
  | {
      readonly kind: 'object';
      readonly members: ReadonlyMap<string, () => Value>;
      readonly key: string;
    }
  | { readonly kind: 'function'; readonly node: Node; readonly scope: Scope }
  | { readonly kind: 'undefined' }
  | Open;

/** A value that only the running program knows. Values with the same key are equal. */
export interface Open {
  readonly kind: 'open';
  readonly node: Node;
  readonly key: string;
}

export const UNDEFINED: Value = { kind: 'undefined' };
export const open = (node: Node, key = keyOf(node)): Value => ({ kind: 'open', node, key });
export const text = (value: string): Value => ({ kind: 'text', text: value });
export const list = (items: readonly Value[]): Value => ({ kind: 'list', items });
export const object = (members: Iterable<readonly [string, () => Value]>, key: string): Value => ({
  kind: 'object',
  members: new Map(members),
  key,
});
/** Returns a key that no other node has. */
export const keyOf = (node: Node): string => `${node.getSourceFile().fileName}:${node.pos}`;

/** Quotes a path as Kysely does: `a.id` is `"a"."id"`. */
export const quoted = (path: string): string =>
  path
    .split('.')
    .map((name) => (name === '*' ? name : `"${name.replaceAll('"', '""')}"`))
    .join('.');
