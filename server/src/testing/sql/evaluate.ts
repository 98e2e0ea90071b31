import * as ts from 'typescript/unstable/ast';
import { isTrue, returnedBy } from './branches.ts';
import { builtIn } from './built-ins.ts';
import { valueOfName } from './declarations.ts';
import { isFunction, unwrap } from './nodes.ts';
import type { SourceTree } from './source-tree.ts';
import { STAND_INS } from './stand-ins.ts';
import {
  keyOf,
  list,
  type Open,
  object,
  open,
  PARAMETER,
  type Scope,
  text,
  UNDEFINED,
  type Value,
} from './values.ts';

/** Depth of nested expressions at which a statement is given up. */
const DEPTH = 60;

/** Chooses one of `count` possibilities; always the same for the same key. */
export type Choose = (key: string, count: number) => number;

/** The sources do not tell a part of the statement. */
export class UnknownPart extends Error {
  readonly node: ts.Node;

  constructor(node: ts.Node) {
    super('unknown part');
    this.node = node;
  }
}

/** Evaluates expressions as far as the sources tell their values. */
export class Evaluator {
  readonly sources: SourceTree;
  /** Guessed parts. PostgreSQL may refuse a text with one, as no request composes it. */
  readonly guessed: ts.Node[] = [];
  readonly #choose: Choose;
  readonly #entered = new Set<ts.Node>();
  #depth = 0;

  constructor(sources: SourceTree, choose: Choose) {
    this.sources = sources;
    this.#choose = choose;
  }

  evaluate(expression: ts.Node, scope: Scope = new Map()): Value {
    if (++this.#depth > DEPTH) throw new UnknownPart(expression);
    try {
      return this.#evaluate(unwrap(expression), scope);
    } finally {
      this.#depth--;
    }
  }

  /** Evaluates the items of a list; a spread list adds its own. */
  items(elements: readonly ts.Node[], scope: Scope): readonly Value[] {
    return elements.flatMap((element) => {
      if (!ts.isSpreadElement(element)) return [this.evaluate(element, scope)];
      const value = this.evaluate(element.expression, scope);
      return value.kind === 'list' ? value.items : [open(element.expression)];
    });
  }

  /** Runs `work` unless it is already running for the node; then the result is undefined. */
  enter<Result>(node: ts.Node, work: () => Result): Result | undefined {
    if (this.#entered.has(node)) return undefined;
    this.#entered.add(node);
    try {
      return work();
    } finally {
      this.#entered.delete(node);
    }
  }

  /** Picks an item; always the same for the same key. */
  pick<Item>(key: string, items: readonly Item[]): Item | undefined {
    return items[items.length > 1 ? this.#choose(key, items.length) : 0];
  }

  /** Returns the text of a value inside a statement. */
  embed(value: Value, before = ''): string {
    if (value.kind === 'sql') return value.text;
    if (value.kind !== 'open' || !this.sources.isFragment(value.node)) return PARAMETER;
    return this.guess(value.node, value.key, before);
  }

  /** Guesses the text of an unknown part: ids, a table, a condition, a value, or nothing. */
  guess(node: ts.Node, key: string, before = ''): string {
    this.guessed.push(node);
    if (/\bin \($/.test(before)) return 'null';
    if (/\bfrom $/.test(before)) return 'label t';
    return this.pick(`${key} as a part`, ['(not false)', 'null', '']) ?? '';
  }

  /** Returns the constant text of an expression; otherwise one of its type, or a stand-in. */
  textOf(expression: ts.Node, scope: Scope): string {
    const value = this.evaluate(expression, scope);
    if (value.kind === 'text') return value.text;
    const node = value.kind === 'open' ? value.node : expression;
    const words =
      (value.kind === 'open' ? this.literalOf(value) : undefined) ??
      this.#standIn(node, node.getText()) ??
      this.#memberStandIn(expression);
    if (words === undefined) throw new UnknownPart(node);
    return words;
  }

  /** Picks a text of a type like `'asset' | 'node'`. */
  literalOf({ node, key }: Open): string | undefined {
    const literals = this.sources.literalsOf(node);
    if (literals.length > 1) this.guessed.push(node);
    return this.pick(key, literals);
  }

  call(called: Value, values: readonly Value[], node: ts.Node): Value {
    if (called.kind !== 'function' || !isFunction(called.node)) return open(node);
    const { parameters, body } = called.node;
    if (!body) return open(node);
    const scope = new Map(called.scope);
    parameters.forEach((parameter, index) => {
      const value = values[index] ?? UNDEFINED;
      if (parameter.dotDotDotToken) scope.set(parameter, list(values.slice(index)));
      else if (value.kind === 'undefined' && parameter.initializer)
        scope.set(parameter, this.evaluate(parameter.initializer, scope));
      else scope.set(parameter, value);
    });
    const work = () =>
      ts.isBlock(body) ? (returnedBy(this, body, scope) ?? UNDEFINED) : this.evaluate(body, scope);
    return this.enter(called.node, work) ?? open(node);
  }

  /** Evaluates a member of `owner`, whose value is known. */
  member(value: Value, name: string, node: ts.Node, owner: ts.Node): Value {
    if (value.kind === 'object') return value.members.get(name)?.() ?? UNDEFINED;
    if (value.kind === 'list' && /^\d+$/.test(name)) return value.items[Number(name)] ?? UNDEFINED;
    if (value.kind !== 'open') return open(node);
    const standIn = this.#standIn(node, `${this.sources.nameOfType(owner)}.${name}`);
    if (standIn === undefined) return open(node, `${value.key}.${name}`);
    return this.sources.isFragment(node) ? { kind: 'sql', text: standIn } : text(standIn);
  }

  #memberStandIn(node: ts.Node): string | undefined {
    if (!ts.isPropertyAccessExpression(node)) return undefined;
    return this.#standIn(node, `${this.sources.nameOfType(node.expression)}.${node.name.text}`);
  }

  #standIn(node: ts.Node, name: string): string | undefined {
    const standIn = STAND_INS.get(name);
    if (standIn !== undefined) this.guessed.push(node);
    return standIn;
  }

  #evaluate(node: ts.Node, scope: Scope): Value {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
      return text(node.text);
    if (ts.isNumericLiteral(node)) return text(node.text);
    if (ts.isTaggedTemplateExpression(node)) return this.#statement(node, scope);
    if (ts.isTemplateExpression(node))
      return text(this.#joined(node, (span) => this.textOf(span, scope)));
    if (ts.isIdentifier(node)) return valueOfName(this, node, scope);
    if (ts.isArrayLiteralExpression(node)) return list(this.items(node.elements, scope));
    if (ts.isObjectLiteralExpression(node)) return object(this.#members(node, scope), keyOf(node));
    if (isFunction(node)) return { kind: 'function', node, scope };
    if (ts.isConditionalExpression(node))
      return this.evaluate(
        isTrue(this, node.condition, scope) ? node.whenTrue : node.whenFalse,
        scope,
      );
    if (ts.isBinaryExpression(node)) return this.#binary(node, scope);
    if (ts.isPropertyAccessExpression(node))
      return this.member(
        this.evaluate(node.expression, scope),
        node.name.text,
        node,
        node.expression,
      );
    if (ts.isElementAccessExpression(node)) return this.#element(node, scope);
    if (ts.isCallExpression(node)) return this.#call(node, scope);
    return open(node);
  }

  #statement({ tag, template }: ts.TaggedTemplateExpression, scope: Scope): Value {
    if (tag.getText() !== 'sql') return open(template);
    if (!ts.isTemplateExpression(template)) return { kind: 'sql', text: template.text };
    const words = this.#joined(template, (span, before) =>
      this.sources.isFragment(span) ? this.embed(this.evaluate(span, scope), before) : PARAMETER,
    );
    return { kind: 'sql', text: words };
  }

  #joined(
    { head, templateSpans }: ts.TemplateExpression,
    textOf: (span: ts.Node, before: string) => string,
  ): string {
    return templateSpans.reduce(
      (before, { expression, literal }) => before + textOf(expression, before) + literal.text,
      head.text,
    );
  }

  *#members(
    node: ts.ObjectLiteralExpression,
    scope: Scope,
  ): Generator<readonly [string, () => Value]> {
    for (const property of node.properties) {
      if (ts.isSpreadAssignment(property)) {
        const value = this.evaluate(property.expression, scope);
        if (value.kind === 'object') yield* value.members;
      } else if (ts.isShorthandPropertyAssignment(property)) {
        const { name } = property;
        if (ts.isIdentifier(name)) yield [name.text, () => valueOfName(this, name, scope)];
      } else if (property.name) {
        const name = ts.isComputedPropertyName(property.name)
          ? this.textOf(property.name.expression, scope)
          : property.name.getText().replaceAll(/^['"]|['"]$/g, '');
        if (ts.isPropertyAssignment(property))
          yield [name, () => this.evaluate(property.initializer, scope)];
        else yield [name, () => ({ kind: 'function', node: property, scope })];
      }
    }
  }

  #binary({ left, right, operatorToken }: ts.BinaryExpression, scope: Scope): Value {
    const operator = operatorToken.getText();
    if (operator === '+') return text(this.textOf(left, scope) + this.textOf(right, scope));
    if (operator === '&&')
      return isTrue(this, left, scope) ? this.evaluate(right, scope) : UNDEFINED;
    if (operator !== '??' && operator !== '||') return open(left);
    const value = this.evaluate(left, scope);
    return value.kind === 'undefined' || value.kind === 'open'
      ? this.evaluate(right, scope)
      : value;
  }

  #element(node: ts.ElementAccessExpression, scope: Scope): Value {
    const value = this.evaluate(node.expression, scope);
    const key = this.evaluate(node.argumentExpression, scope);
    if (key.kind === 'text') return this.member(value, key.text, node, node.expression);
    const name = key.kind === 'open' ? key.key : keyOf(node);
    if (value.kind === 'object')
      return this.pick(name, [...value.members.values()])?.() ?? open(node);
    return (value.kind === 'list' ? this.pick(name, value.items) : undefined) ?? open(node);
  }

  #call(node: ts.CallExpression, scope: Scope): Value {
    const known = builtIn(this, node, scope);
    if (known) return known;
    const called = this.evaluate(node.expression, scope);
    if (called.kind !== 'function') return open(node);
    return this.call(called, this.items(node.arguments, scope), node);
  }
}
