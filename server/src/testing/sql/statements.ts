import * as ts from 'typescript/unstable/ast';
import type { Type } from 'typescript/unstable/sync';
import { NeverExecuted } from './branches.ts';
import { Evaluator, UnknownPart } from './evaluate.ts';
import { unwrap } from './nodes.ts';
import type { SourceTree } from './source-tree.ts';
import { PARAMETER } from './values.ts';

/** Number of combinations of branches that are tried for one statement. */
const MOST_TRIES = 80;

/** A text of a statement. Parts of an inexact text are guessed. */
export interface Text {
  readonly text: string;
  readonly isExact: boolean;
}

/** A place that executes a statement. */
export interface Statement {
  readonly place: string;
  /** The texts of the branches, with numbered parameters. Empty if no text is constant. */
  readonly texts: readonly Text[];
  /** Places of the parts that the sources do not tell. */
  readonly unknown: readonly string[];
  /** The promised type of a row; undefined if the place promises nothing. */
  readonly row: Type | undefined;
}

/** Finds the statements that some files execute, with the promised types of their rows. */
export function findStatements(
  sources: SourceTree,
  isChecked: (file: string) => boolean,
): readonly Statement[] {
  return [...executedIn(sources)]
    .map(([expression, row]) => ({ expression, row, place: sources.placeOf(expression) }))
    .filter(({ place }) => isChecked(place.replace(/:\d+$/, '')))
    .map(({ expression, row, place }) => ({ place, row, ...compose(sources, expression) }));
}

/** Returns the executed expressions, each with the promised type of a row. */
function executedIn(sources: SourceTree): ReadonlyMap<ts.Node, Type | undefined> {
  const expressions = new Map<ts.Node, Type | undefined>();
  const add = (expression: ts.Node): void => {
    const executed = unwrap(expression);
    if (sources.isFragment(executed)) expressions.set(executed, sources.rowOf(executed));
  };
  for (const { expression } of sources.callsOf('execute'))
    if (ts.isPropertyAccessExpression(expression)) add(expression.expression);
  for (const { arguments: given } of sources.callsOf('executePrepared'))
    if (given[0]) add(given[0]);
  for (const { expression, arguments: given, typeArguments } of sources.callsOf('query')) {
    if (!given[0] || !ts.isPropertyAccessExpression(expression)) continue;
    if (!sources.isClient(expression.expression)) continue;
    const row = typeArguments?.[0];
    expressions.set(given[0], row && sources.project.checker.getTypeFromTypeNode(row));
  }
  return expressions;
}

/** Composes the texts of a statement: with the first branches, then with each other branch. */
function compose(sources: SourceTree, expression: ts.Node): Pick<Statement, 'texts' | 'unknown'> {
  const texts = new Map<string, Text>();
  const unknown = new Set<string>();
  const counts = new Map<string, number>();
  let tries = 0;
  const take = (key?: string, branch = 0): void => {
    tries++;
    const evaluator = new Evaluator(sources, (asked, count) => {
      counts.set(asked, count);
      return asked === key ? Math.min(branch, count - 1) : 0;
    });
    try {
      const value = evaluator.evaluate(expression);
      const text = value.kind === 'sql' || value.kind === 'text' ? numbered(value.text) : '';
      if (text.trim() === '')
        throw new UnknownPart(value.kind === 'open' ? value.node : expression);
      const isExact = evaluator.guessed.length === 0 || texts.get(text)?.isExact === true;
      texts.set(text, { text, isExact });
      for (const node of evaluator.guessed) unknown.add(sources.placeOf(node));
    } catch (error) {
      if (error instanceof UnknownPart) unknown.add(sources.placeOf(error.node));
      else if (!(error instanceof NeverExecuted)) throw error;
    }
  };
  take();
  // All second branches first. The map grows while the loop reads it.
  for (let branch = 1; branch < MOST_TRIES; branch++)
    for (const [key, count] of counts) if (branch < count && tries < MOST_TRIES) take(key, branch);
  return { texts: [...texts.values()], unknown: [...unknown] };
}

/** Numbers the parameters of a statement. */
function numbered(text: string): string {
  let number = 0;
  return text.replaceAll(PARAMETER, () => `$${++number}`);
}
