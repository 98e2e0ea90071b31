/** A program with arguments, input and output. */
export interface Stage {
  readonly words: readonly string[];
  readonly input: string | undefined;
  readonly output: { readonly path: string; readonly append: boolean } | undefined;
}

/** Stages joined by pipes; `when` is the required result of the previous pipeline. */
export interface Pipeline {
  readonly when: 'always' | 'success' | 'failure';
  readonly stages: readonly Stage[];
}

type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'operator'; readonly text: string };

export class SyntaxProblem extends Error {}

/** Parses a command line: quotes, variables, pipes, redirections, `;`, `&&` and `||`. */
export function parseLine(line: string, variable: (name: string) => string): readonly Pipeline[] {
  const pipelines: Pipeline[] = [];
  let when: Pipeline['when'] = 'always';
  let stages: Stage[] = [];
  let stage = newStage();
  const closeStage = (operator: string) => {
    if (stage.words.length === 0) throw new SyntaxProblem(`syntax error near '${operator}'`);
    stages.push(stage);
    stage = newStage();
  };
  const closePipeline = (operator: string) => {
    closeStage(operator);
    pipelines.push({ when, stages });
    stages = [];
  };
  const tokens = tokensOf(line, variable);
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (!token) break;
    if (token.kind === 'word') stage.words.push(token.text);
    else if (token.text === '|') closeStage('|');
    else if (token.text === ';' || token.text === '&&' || token.text === '||') {
      closePipeline(token.text);
      when = token.text === ';' ? 'always' : token.text === '&&' ? 'success' : 'failure';
    } else {
      const target = tokens[++index];
      if (target?.kind !== 'word') throw new SyntaxProblem(`syntax error near '${token.text}'`);
      if (token.text === '<') stage.input = target.text;
      else stage.output = { path: target.text, append: token.text === '>>' };
    }
  }
  if (stage.words.length > 0 || stages.length > 0) closePipeline('newline');
  return pipelines;
}

function newStage(): { words: string[]; input: string | undefined; output: Stage['output'] } {
  return { words: [], input: undefined, output: undefined };
}

function tokensOf(line: string, variable: (name: string) => string): readonly Token[] {
  const tokens: Token[] = [];
  let rest = line.trimStart();
  while (rest !== '' && !rest.startsWith('#')) {
    const operator = /^(?:&&|\|\||>>|[|;<>])/.exec(rest)?.[0];
    if (operator) {
      tokens.push({ kind: 'operator', text: operator });
      rest = rest.slice(operator.length).trimStart();
      continue;
    }
    if (rest.startsWith('&')) throw new SyntaxProblem('background jobs are not available here');
    const [text, length] = wordAt(rest, variable);
    tokens.push({ kind: 'word', text });
    rest = rest.slice(length).trimStart();
  }
  return tokens;
}

function wordAt(rest: string, variable: (name: string) => string): readonly [string, number] {
  let text = '';
  let quote = '';
  let at = 0;
  for (; at < rest.length; at++) {
    const character = rest[at] ?? '';
    if (quote === "'") {
      if (character === "'") quote = '';
      else text += character;
    } else if (character === '\\' && at + 1 < rest.length) text += rest[++at];
    else if (character === '$') {
      const name = /^\$(?:\{(\w+|\?)\}|(\w+|\?))/.exec(rest.slice(at));
      if (name) {
        text += variable(name[1] ?? name[2] ?? '');
        at += name[0].length - 1;
      } else text += character;
    } else if (quote === '"') {
      if (character === '"') quote = '';
      else text += character;
    } else if (character === '"' || character === "'") quote = character;
    else if (/[\s|;<>&]/.test(character)) break;
    else text += character;
  }
  if (quote !== '') throw new SyntaxProblem(`a ${quote} is not closed`);
  return [text, at];
}
