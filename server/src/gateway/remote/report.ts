import type { Charset } from '@sallyport/contract';
import type { Invalid } from '../../platform/errors.ts';
import { textDecoder } from '../charsets.ts';
import type { ModuleAnswer } from './module.ts';
import { isRemoteCode, type RemoteProblem, RemoteRefusal } from './words.ts';

/** Maximum bytes kept of a host's output, and of its errors. */
export const MAX_OUTPUT = 256 * 1024;

export interface HostAnswer<Result> {
  /** Changes that were made, or would be made in a dry run. */
  readonly changed: readonly string[];
  readonly result: Result;
}

/**
 * Parses the lines of a report.
 * @throws RemoteRefusal with the script's reason, or if the report is incomplete
 */
export function readReport<Result>(
  lines: readonly string[],
  read: (answer: ModuleAnswer) => Result,
  answer: Omit<ModuleAnswer, 'facts'>,
): HostAnswer<Result> {
  const changed: string[] = [];
  const facts: (readonly [string, string])[] = [];
  for (const line of lines) {
    const [word = '', first = '', ...others] = line.split(' ');
    const rest = others.join(' ');
    if (word === 'changed') changed.push([first, ...others].join(' '));
    else if (word === 'fact') facts.push([first, rest]);
    else if (word === 'refused' || word === 'failed')
      throw new ReportedRefusal(problemIn(first, rest), answer.errors);
    else if (word === 'done') return { changed, result: read({ ...answer, facts }) };
  }
  throw new RemoteRefusal(answer.isCut ? 'remote_output' : 'remote_interrupted');
}

export class ReportedRefusal extends RemoteRefusal {
  readonly detail: string;

  constructor({ code, params }: RemoteProblem, errors: string) {
    super(isRemoteCode(code) ? code : 'remote_output', params);
    this.detail = errors.trim().slice(0, 1000);
  }
}

/** The parameter of each code that a script may report. */
const PARAMETERS: Readonly<Record<string, string>> = {
  remote_tool: 'tool',
  remote_system: 'system',
  remote_no_account: 'name',
  remote_undo: 'name',
  remote_root_account: 'name',
  remote_system_account: 'name',
  remote_no_shell: 'shell',
  remote_failed: 'step',
};

function problemIn(code: string, value: string): RemoteProblem {
  if (!isRemoteCode(code)) return { code: 'remote_output' };
  const parameter = PARAMETERS[code];
  return parameter ? { code, params: { [parameter]: value.slice(0, 100) } } : { code };
}

/** Problem codes by the rejected field of a module. */
const REFUSED: Readonly<Record<string, RemoteProblem['code']>> = {
  name: 'remote_bad_name',
  shell: 'remote_bad_shell',
  home: 'remote_bad_home',
  commands: 'remote_bad_sudo',
};

/** Maps invalid input to a problem of the host. */
export function inputProblem({ problems }: Invalid): RemoteProblem {
  return { code: REFUSED[Object.keys(problems)[0] ?? ''] ?? 'remote_bad_secret' };
}

/** Collects the beginning of a text stream. */
export class Kept {
  private readonly decode: (piece: Buffer) => string;
  private readonly parts: string[] = [];
  private bytes = 0;
  isCut = false;

  constructor(charset: Charset) {
    this.decode = textDecoder(charset);
  }

  /** Feeds bytes; returns the completed text, or '' beyond the limit. */
  add(chunk: Buffer): string {
    const kept = chunk.subarray(0, MAX_OUTPUT - this.bytes);
    if (kept.length < chunk.length) this.isCut = true;
    this.bytes += kept.length;
    if (kept.length === 0) return '';
    const text = this.decode(kept);
    this.parts.push(text);
    return text;
  }

  text(): string {
    return this.parts.join('');
  }
}
