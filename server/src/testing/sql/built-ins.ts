import * as ts from 'typescript/unstable/ast';
import type { Evaluator } from './evaluate.ts';
import { isFunction } from './nodes.ts';
import { keyOf, list, open, PARAMETER, quoted, type Scope, text, type Value } from './values.ts';

const sqlText = (words: string): Value => ({ kind: 'sql', text: words });

/** Evaluates calls of `sql`, of lists, objects and texts; undefined for other calls. */
export function builtIn(
  evaluator: Evaluator,
  node: ts.CallExpression,
  scope: Scope,
): Value | undefined {
  const { expression } = node;
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  const name = expression.name.text;
  const owner = expression.expression.getText();
  const [first, second] = node.arguments;
  if (owner === 'sql' && first) return sqlCall(evaluator, name, first, second, scope);
  if (owner === 'Object' && first) return objectCall(evaluator, name, first, scope);
  if (name === 'escapeIdentifier' && first) return text(quoted(evaluator.textOf(first, scope)));
  if (/^(replace|replaceAll)$/.test(name)) return textCall(evaluator, expression, node, scope);
  if (/^(map|flatMap|filter|slice|join|flat|toSorted)$/.test(name))
    return listCall(evaluator, expression, node, scope);
  return undefined;
}

function sqlCall(
  evaluator: Evaluator,
  name: string,
  first: ts.Node,
  second: ts.Node | undefined,
  scope: Scope,
): Value | undefined {
  if (/^(ref|table|id)$/.test(name)) return sqlText(quoted(evaluator.textOf(first, scope)));
  if (name === 'raw') return sqlText(evaluator.textOf(first, scope));
  if (/^(val|value)$/.test(name)) return sqlText(PARAMETER);
  if (name === 'lit') {
    if (!evaluator.sources.isNumber(first))
      return sqlText(`'${evaluator.textOf(first, scope).replaceAll("'", "''")}'`);
    const value = evaluator.evaluate(first, scope);
    return sqlText(value.kind === 'text' ? value.text : '1');
  }
  if (name !== 'join') return undefined;
  const value = evaluator.evaluate(first, scope);
  if (value.kind !== 'list') return sqlText(oneItem(evaluator, value, first));
  // The code around the statement avoids an empty list.
  if (value.items.length === 0) return sqlText(evaluator.guess(first, keyOf(first)));
  const between = second ? evaluator.embed(evaluator.evaluate(second, scope)) : ', ';
  return sqlText(value.items.map((item) => evaluator.embed(item)).join(between));
}

/** Writes one item for a list that only the running program knows. */
function oneItem(evaluator: Evaluator, value: Value, first: ts.Node): string {
  const node = value.kind === 'open' ? value.node : first;
  return evaluator.sources.isListOfFragments(node) ? evaluator.guess(node, keyOf(node)) : PARAMETER;
}

function objectCall(
  evaluator: Evaluator,
  name: string,
  first: ts.Node,
  scope: Scope,
): Value | undefined {
  const value = evaluator.evaluate(first, scope);
  if (value.kind !== 'object') return undefined;
  const members = [...value.members];
  if (name === 'keys') return list(members.map(([key]) => text(key)));
  if (name === 'values') return list(members.map(([, member]) => member()));
  if (name === 'entries') return list(members.map(([key, member]) => list([text(key), member()])));
  return undefined;
}

/** Evaluates the replacement of a constant in a constant text. */
function textCall(
  evaluator: Evaluator,
  { expression, name }: ts.PropertyAccessExpression,
  { arguments: given }: ts.CallExpression,
  scope: Scope,
): Value | undefined {
  const value = evaluator.evaluate(expression, scope);
  const [from, to] = given.map((argument) => evaluator.evaluate(argument, scope));
  if (value.kind !== 'text' || from?.kind !== 'text' || to?.kind !== 'text') return undefined;
  return text(
    name.text === 'replace'
      ? value.text.replace(from.text, to.text)
      : value.text.replaceAll(from.text, to.text),
  );
}

function listCall(
  evaluator: Evaluator,
  callee: ts.PropertyAccessExpression,
  node: ts.CallExpression,
  scope: Scope,
): Value | undefined {
  const name = callee.name.text;
  const [first] = node.arguments;
  const value = evaluator.evaluate(callee.expression, scope);
  if (value.kind !== 'list' || value.items.length === 0) {
    if (!first || !/^(map|flatMap)$/.test(name)) return undefined;
    // The items differ in their values only: the first is enough.
    const item = isFunction(first) ? first.parameters[0] : undefined;
    const result = evaluator.call(
      evaluator.evaluate(first, scope),
      [open(item?.name ?? callee)],
      node,
    );
    return result.kind === 'open' ? undefined : flat(name, [result]);
  }
  const { items } = value;
  if (name === 'toSorted') return value;
  if (name === 'flat') return flat('flatMap', items);
  if (name === 'filter') {
    const left = items.filter(({ kind }) => kind !== 'undefined');
    if (left.some(({ kind }) => kind !== 'sql')) evaluator.guessed.push(node);
    return list(left);
  }
  if (!first) return undefined;
  const argument = evaluator.evaluate(first, scope);
  if (name === 'slice')
    return argument.kind === 'text' ? list(items.slice(Number(argument.text))) : undefined;
  if (name === 'join') {
    const texts = items.flatMap((item) => (item.kind === 'text' ? [item.text] : []));
    if (argument.kind !== 'text' || texts.length < items.length) return undefined;
    return text(texts.join(argument.text));
  }
  const results = items.map((item, index) =>
    evaluator.call(argument, [item, text(String(index))], node),
  );
  return flat(name, results);
}

const flat = (name: string, results: readonly Value[]): Value =>
  list(
    name === 'flatMap'
      ? results.flatMap((result) => (result.kind === 'list' ? result.items : [result]))
      : results,
  );
