import * as ts from 'typescript/unstable/ast';
import type { Evaluator } from './evaluate.ts';
import { hasReturn, unwrap } from './nodes.ts';
import { keyOf, type Scope, UNDEFINED, type Value } from './values.ts';

/** The chosen branch throws an error, so no statement is executed. */
export class NeverExecuted extends Error {}

/** Returns the value that a statement of a function returns; undefined if it does not return. */
export function returnedBy(
  evaluator: Evaluator,
  statement: ts.Node,
  scope: Scope,
): Value | undefined {
  if (ts.isReturnStatement(statement))
    return statement.expression ? evaluator.evaluate(statement.expression, scope) : UNDEFINED;
  if (ts.isThrowStatement(statement)) throw new NeverExecuted();
  if (ts.isBlock(statement)) return firstReturned(evaluator, statement.statements, scope);
  if (ts.isTryStatement(statement)) return returnedBy(evaluator, statement.tryBlock, scope);
  if (ts.isIfStatement(statement) && hasReturn(statement)) {
    const { expression, thenStatement, elseStatement } = statement;
    const branch = isTrue(evaluator, expression, scope) ? thenStatement : elseStatement;
    return branch && returnedBy(evaluator, branch, scope);
  }
  if (ts.isSwitchStatement(statement)) {
    const clause = evaluator.pick(`${keyOf(statement)} switch`, statement.caseBlock.clauses);
    return firstReturned(evaluator, clause?.statements ?? [], scope);
  }
  return undefined;
}

function firstReturned(
  evaluator: Evaluator,
  statements: readonly ts.Node[],
  scope: Scope,
): Value | undefined {
  for (const statement of statements) {
    const value = returnedBy(evaluator, statement, scope);
    if (value) return value;
  }
  return undefined;
}

/** Compares constants; chooses for other conditions. */
export function isTrue(evaluator: Evaluator, condition: ts.Node, scope: Scope): boolean {
  const node = unwrap(condition);
  const isAlso = (part: ts.Node) => isTrue(evaluator, part, scope);
  if (ts.isPrefixUnaryExpression(node) && node.getText().startsWith('!'))
    return !isAlso(node.operand);
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken.getText();
    if (operator === '&&') return isAlso(node.left) && isAlso(node.right);
    if (operator === '||') return isAlso(node.left) || isAlso(node.right);
    const isEqual = /^[!=]==$/.test(operator) ? areEqual(evaluator, node, scope) : undefined;
    if (isEqual !== undefined) return isEqual === (operator === '===');
  }
  const value = evaluator.evaluate(node, scope);
  if (value.kind === 'undefined') return false;
  if (value.kind === 'sql' || value.kind === 'object' || value.kind === 'function') return true;
  const key = value.kind === 'open' ? value.key : keyOf(node);
  return evaluator.pick(`${key} is true`, [true, false]) === true;
}

function areEqual(
  evaluator: Evaluator,
  { left, right }: ts.BinaryExpression,
  scope: Scope,
): boolean | undefined {
  const [one, other] = [evaluator.evaluate(left, scope), evaluator.evaluate(right, scope)];
  const [first, second] = [constantOf(evaluator, one), constantOf(evaluator, other)];
  return first === undefined || second === undefined ? undefined : first === second;
}

/** Returns a text that is the same for equal values; undefined if the value is not known. */
function constantOf(evaluator: Evaluator, value: Value): string | undefined {
  if (value.kind === 'undefined') return 'undefined';
  if (value.kind === 'object') return value.key;
  const words = value.kind === 'open' ? evaluator.literalOf(value) : undefined;
  const constant = value.kind === 'text' ? value.text : words;
  return constant === undefined ? undefined : `'${constant}'`;
}
