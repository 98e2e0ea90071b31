import { join, resolve } from 'node:path';
import {
  type CallExpression,
  type Expression,
  type Identifier,
  isCallExpression,
  isConditionalExpression,
  isIdentifier,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API, type Project, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** The sources of a TypeScript project with the types that the compiler knows. */
export class SourceTree {
  readonly project: Project;
  readonly files: readonly SourceFile[];
  readonly #api: API;
  readonly #declarations = new Map<Node, Node | undefined>();
  readonly #types = new Map<Node, Type | undefined>();
  readonly #typeNames = new Map<Node, string | undefined>();
  readonly #fragments = new Map<number, boolean>();
  readonly #literals = new Map<number, readonly string[]>();
  readonly #calls = new Map<string, CallExpression[]>();

  /** Opens the project of `config` and reads its files that `isChecked` accepts. */
  constructor(config: string, isChecked: (file: string) => boolean) {
    this.#api = new API({ cwd: ROOT });
    const path = join(ROOT, config);
    const project = this.#api.updateSnapshot({ openProjects: [path] }).getProject(path);
    if (!project) throw new Error(`TypeScript does not open ${config}`);
    this.project = project;
    this.files = project.rootFiles
      .filter((file) => isChecked(file.slice(ROOT.length + 1)))
      .flatMap((file) => project.program.getSourceFile(file) ?? []);
    for (const file of this.files) this.#indexCalls(file);
  }

  close(): void {
    this.#api.close();
  }

  /** Returns `server/src/main.ts:12`. */
  placeOf(node: Node): string {
    const file = node.getSourceFile();
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    return `${file.fileName.slice(ROOT.length + 1)}:${line + 1}`;
  }

  /** Returns the declaration of a value, through imports. */
  declarationOf(name: Identifier): Node | undefined {
    return remembered(this.#declarations, name, () => {
      const { checker } = this.project;
      const local = isShorthandPropertyAssignment(name.parent)
        ? checker.getShorthandAssignmentValueSymbol(name.parent)
        : checker.getSymbolAtLocation(name);
      const isAlias = local && local.flags & SymbolFlags.Alias;
      const symbol = isAlias ? checker.getAliasedSymbol(local) : local;
      return symbol?.valueDeclaration?.resolve(this.project);
    });
  }

  typeOf(node: Node): Type | undefined {
    return remembered(this.#types, node, () => this.project.checker.getTypeAtLocation(node));
  }

  /** Returns the name of the type of an expression, without undefined. */
  nameOfType(node: Node): string | undefined {
    return remembered(this.#typeNames, node, () => {
      const type = this.typeOf(node);
      return type && this.project.checker.getNonNullableType(type)?.getSymbol()?.name;
    });
  }

  /** Returns true if some value of an expression is an `Sql`. */
  isFragment(node: Node): boolean {
    return this.#isSql(this.typeOf(node));
  }

  isListOfFragments(node: Node): boolean {
    return this.#isSql(this.#argumentOf(this.typeOf(node)));
  }

  /** Returns the promised type of the rows of an executed fragment. */
  rowOf(node: Node): Type | undefined {
    const row = this.#argumentOf(this.typeOf(node));
    return row && row.flags & TypeFlags.Unknown ? undefined : row;
  }

  /** Returns true for a client or a pool of `pg`, or for some methods of one. */
  isClient(node: Node): boolean {
    const type = this.typeOf(node);
    const words = type ? this.project.checker.typeToString(type) : '';
    return /\b(Pool|PoolClient|Client|ClientBase)\b/.test(words);
  }

  isNumber(node: Node): boolean {
    return ((this.typeOf(node)?.flags ?? 0) & TypeFlags.NumberLike) !== 0;
  }

  /** Returns the texts of a type like `'asset' | 'node'`. */
  literalsOf(node: Node): readonly string[] {
    const type = this.typeOf(node);
    if (!type) return [];
    return remembered(this.#literals, type.id, () => {
      const parts = type.isUnionType() ? type.getTypes() : [type];
      return parts.flatMap((part) => (part.isStringLiteralType() ? [part.value] : []));
    });
  }

  #argumentOf(type: Type | undefined): Type | undefined {
    return type?.isTypeReference() ? this.project.checker.getTypeArguments(type)[0] : undefined;
  }

  #isSql(type: Type | undefined): boolean {
    if (!type) return false;
    return remembered(this.#fragments, type.id, () =>
      type.isUnionType()
        ? type.getTypes().some((part) => this.#isSql(part))
        : type.getSymbol()?.name === 'Sql',
    );
  }

  /** Returns the calls of a function or method with this name. */
  callsOf(name: string): readonly CallExpression[] {
    return this.#calls.get(name) ?? [];
  }

  #indexCalls(node: Node): void {
    node.forEachChild((child) => this.#indexCalls(child));
    if (!isCallExpression(node)) return;
    for (const { text: name } of calledNames(node.expression)) {
      const calls = this.#calls.get(name);
      if (calls) calls.push(node);
      else this.#calls.set(name, [node]);
    }
  }
}

/** Caches the value of a key, as each question to the compiler takes a round trip. */
function remembered<Key, Made>(made: Map<Key, Made>, key: Key, make: () => Made): Made {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as Made;
}

/**
 * Returns the last word of a called expression, such as `execute` of `query.execute`, and both
 * words of `(isOne ? one : other)()`.
 */
export function calledNames(expression: Expression): readonly Identifier[] {
  if (isIdentifier(expression)) return [expression];
  if (isPropertyAccessExpression(expression))
    return isIdentifier(expression.name) ? [expression.name] : [];
  if (isParenthesizedExpression(expression)) return calledNames(expression.expression);
  if (isConditionalExpression(expression))
    return [...calledNames(expression.whenTrue), ...calledNames(expression.whenFalse)];
  return [];
}
