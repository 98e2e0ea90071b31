import * as ts from 'typescript/unstable/ast';
import { calledNames } from './source-tree.ts';

export type FunctionNode =
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.ArrowFunction
  | ts.MethodDeclaration;

export const isFunction = (node: ts.Node): node is FunctionNode =>
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isArrowFunction(node) ||
  ts.isMethodDeclaration(node);

/** Removes parentheses, casts and `await`. */
export function unwrap(node: ts.Node): ts.Node {
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAwaitExpression(node)
  )
    return unwrap(node.expression);
  return node;
}

/** Returns the innermost function around a node. */
export function functionOf(node: ts.Node): ts.Node | undefined {
  let around: ts.Node | undefined = node.parent;
  while (around && !isFunction(around)) around = around.parent;
  return around;
}

/** Returns true if a statement returns from its function in some branch. */
export function hasReturn(statement: ts.Node): boolean {
  if (isFunction(statement)) return false;
  if (ts.isReturnStatement(statement)) return true;
  return statement.forEachChild((child) => hasReturn(child) || undefined) ?? false;
}

const pushes = new WeakMap<ts.Node, readonly ts.CallExpression[]>();

/** Returns the calls that push items to the list `name`, declared in the same function. */
export function pushesTo(name: string, declaration: ts.Node): readonly ts.CallExpression[] {
  const around = functionOf(declaration) ?? declaration.getSourceFile();
  const calls = pushes.get(around) ?? pushesIn(around);
  pushes.set(around, calls);
  return calls.filter(
    ({ expression }) =>
      ts.isPropertyAccessExpression(expression) && expression.expression.getText() === name,
  );
}

function pushesIn(around: ts.Node): readonly ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node): void => {
    node.forEachChild(visit);
    if (ts.isCallExpression(node) && calledNames(node.expression)[0]?.text === 'push')
      calls.push(node);
  };
  visit(around);
  return calls;
}
