import { type AgentTool, ERRORS, type ErrorCode, say } from '@sallyport/contract';
import {
  allowedCommand,
  matchesPieces,
  patternLines,
  patternProblem,
} from '../../platform/allowed-commands.ts';
import type { LeashedPlace } from '../connections/index.ts';

/** The terms of a leash, as its row has them. */
export interface LeashRow {
  readonly hosts: string;
  readonly accounts: string;
  readonly command_mode: 'listed' | 'any';
  readonly commands: string;
  readonly denied: string;
  readonly files: 'none' | 'read' | 'write';
  readonly databases: string;
  readonly statements: 'read' | 'change';
}

const MAX_LINE = 4096;
/** Agents read English. Owners read the same refusals in the list of calls. */
const LANGUAGE = 'en';

/** Returns true if one of the patterns matches a whole name. An asterisk stands for any text. */
const namesOne = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => {
    const pieces = pattern.split('*');
    return pieces.length === 1 ? pattern === name : matchesPieces(pieces, name);
  });

/** Returns true if the leash names the server or database, whatever the account. */
export function reaches(
  { hosts, databases }: Pick<LeashRow, 'hosts' | 'databases'>,
  { kind, host }: Pick<LeashedPlace, 'kind' | 'host'>,
): boolean {
  const places = kind === 'asset' ? hosts : kind === 'database_app' ? databases : '';
  return namesOne(patternLines(places), host);
}

/** Returns true if the leash names the account on the server or database. */
export function covers(
  leash: Pick<LeashRow, 'hosts' | 'databases' | 'accounts'>,
  place: LeashedPlace,
): boolean {
  const names = patternLines(leash.accounts);
  const { account, username } = place;
  return (
    reaches(leash, place) &&
    (namesOne(names, account) || (username !== '' && namesOne(names, username)))
  );
}

/** Returns true if the leash allows a tool. Each command of `run` needs another decision. */
export const allowsTool = ({ files }: Pick<LeashRow, 'files'>, tool: AgentTool): boolean =>
  tool === 'run' ||
  tool === 'query' ||
  files === 'write' ||
  (files === 'read' && tool === 'read_file');

/** Returns the first denied word of a text. Letter case does not matter. */
function deniedIn(text: string, denied: string): string | undefined {
  const lower = text.toLowerCase();
  return patternLines(denied).find((word) => lower.includes(word.toLowerCase()));
}

/** Returns why the leash refuses a statement in one of its spellings; undefined if allowed. */
export function statementRefusal(
  { denied }: Pick<LeashRow, 'denied'>,
  spellings: readonly string[],
): string | undefined {
  const word = deniedIn(spellings.join('\n'), denied);
  return word === undefined ? undefined : say(ERRORS.agent_word, LANGUAGE, { word });
}

/** Returns the line to run, or why the leash refuses the command. */
export function decide(
  { command_mode: mode, commands, denied }: Pick<LeashRow, 'command_mode' | 'commands' | 'denied'>,
  line: string,
): { readonly line: string } | { readonly refusal: string } {
  const refuse = (code: ErrorCode, params?: Readonly<Record<string, string>>) => ({
    refusal: say(ERRORS[code], LANGUAGE, params),
  });
  if (line.trim() === '') return refuse('command_empty');
  if (line.length > MAX_LINE) return refuse('command_long');
  const word = deniedIn(line, denied);
  if (word !== undefined) return refuse('agent_word', { word });
  if (mode === 'any') return { line };
  const allowed = allowedCommand(commands, line);
  if (typeof allowed === 'string')
    return refuse('agent_command_mode', { problem: say(ERRORS[allowed], LANGUAGE) });
  // Quotes inside of a word hide a denied one from the line.
  const hidden = deniedIn(allowed.words.join(' '), denied);
  return hidden === undefined ? { line: allowed.line } : refuse('agent_word', { word: hidden });
}

/** Returns the first pattern that is not valid, with the number of its line. */
export function wrongPattern(
  commands: string,
): { readonly line: number; readonly text: string } | undefined {
  for (const [index, line] of commands.split('\n').entries()) {
    const [pattern] = patternLines(line);
    if (pattern !== undefined && patternProblem(pattern))
      return { line: index + 1, text: pattern.slice(0, 80) };
  }
  return undefined;
}
