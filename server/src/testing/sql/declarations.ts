import * as ts from 'typescript/unstable/ast';
import type { Evaluator } from './evaluate.ts';
import { isFunction, pushesTo } from './nodes.ts';
import { calledNames } from './source-tree.ts';
import { keyOf, list, open, type Scope, UNDEFINED, type Value } from './values.ts';

/** Evaluates a name by its declaration. */
export function valueOfName(evaluator: Evaluator, name: ts.Identifier, scope: Scope): Value {
  if (name.text === 'undefined') return UNDEFINED;
  const declaration = evaluator.sources.declarationOf(name);
  if (!declaration) return open(name);
  const value = declaredValue(evaluator, declaration, name, scope);
  return value.kind === 'open' && value.node === name ? open(name, keyOf(declaration)) : value;
}

function declaredValue(
  evaluator: Evaluator,
  declaration: ts.Node,
  node: ts.Node,
  scope: Scope,
): Value {
  const known = scope.get(declaration);
  if (known) return known;
  if (isFunction(declaration)) return { kind: 'function', node: declaration, scope };
  if (ts.isParameterDeclaration(declaration)) return passedValue(evaluator, declaration, node);
  if (ts.isBindingElement(declaration)) return boundValue(evaluator, declaration, node, scope);
  if (!ts.isVariableDeclaration(declaration)) return open(node);
  const { initializer, parent } = declaration;
  if (initializer) {
    if (!parent.getText().startsWith('const ')) return open(node);
    const value = evaluator.evaluate(initializer, scope);
    return withPushes(evaluator, value, declaration, node, scope);
  }
  const loop = parent.parent;
  if (!ts.isForOfStatement(loop)) return open(node);
  return itemOf(evaluator, evaluator.evaluate(loop.expression, scope), declaration, node);
}

/** Takes one item of a list for all. */
function itemOf(evaluator: Evaluator, value: Value, key: ts.Node, node: ts.Node): Value {
  const item = value.kind === 'list' ? evaluator.pick(keyOf(key), value.items) : undefined;
  return item ?? open(node);
}

/** Adds the items that later statements push to a list. */
function withPushes(
  evaluator: Evaluator,
  value: Value,
  declaration: ts.Node,
  node: ts.Node,
  scope: Scope,
): Value {
  if (value.kind !== 'list' || !ts.isIdentifier(node)) return value;
  const pushed = evaluator.enter(declaration, () =>
    pushesTo(node.text, declaration).flatMap((push) => evaluator.items(push.arguments, scope)),
  );
  return list([...value.items, ...(pushed ?? [])]);
}

/** Evaluates a name of `const { name } = …` or `const [name] = …`. */
function boundValue(
  evaluator: Evaluator,
  element: ts.BindingElement,
  node: ts.Node,
  scope: Scope,
): Value {
  const pattern = element.parent;
  const owner = pattern.parent;
  const whole = ts.isBindingElement(owner)
    ? boundValue(evaluator, owner, owner, scope)
    : declaredValue(evaluator, owner, owner, scope);
  const name = ts.isArrayBindingPattern(pattern)
    ? String(pattern.elements.indexOf(element))
    : (element.propertyName ?? element.name)?.getText();
  const value =
    name === undefined ? open(node) : evaluator.member(whole, name, node, initializerOf(owner));
  if (value.kind === 'undefined' && element.initializer)
    return evaluator.evaluate(element.initializer, scope);
  return withPushes(evaluator, value, element, node, scope);
}

const initializerOf = (owner: ts.Node): ts.Node =>
  ts.isVariableDeclaration(owner) ? (owner.initializer ?? owner) : owner;

/** Takes the value of a parameter from one of the calls of its function. */
function passedValue(
  evaluator: Evaluator,
  parameter: ts.ParameterDeclaration,
  node: ts.Node,
): Value {
  const callee = parameter.parent;
  if (!isFunction(callee)) return open(node);
  const index = callee.parameters.indexOf(parameter);
  const passed = evaluator.enter(callee, () => {
    const { parent } = callee;
    if (ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression)) {
      const { expression, name } = parent.expression;
      if (index > 0 || !/^(map|flatMap|forEach|filter)$/.test(name.text)) return open(node);
      return itemOf(evaluator, evaluator.evaluate(expression), callee, node);
    }
    const call = evaluator.pick(keyOf(callee), callsOf(evaluator, callee));
    if (!call) return open(node);
    const value = call.arguments[index] ?? parameter.initializer;
    return value ? evaluator.evaluate(value) : UNDEFINED;
  });
  return passed ?? open(node);
}

function callsOf({ sources }: Evaluator, callee: ts.Node): readonly ts.CallExpression[] {
  const owner = ts.isFunctionDeclaration(callee) ? callee : callee.parent;
  if (!ts.isFunctionDeclaration(owner) && !ts.isVariableDeclaration(owner)) return [];
  const calls = sources.callsOf(owner.name?.getText() ?? '');
  return calls.filter(({ expression }) =>
    calledNames(expression).some((name) => sources.declarationOf(name) === owner),
  );
}
