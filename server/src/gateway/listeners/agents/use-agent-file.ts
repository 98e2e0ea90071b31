import { posix } from 'node:path';
import { MAX_TEXT_FILE, type Problem } from '@sallyport/contract';
import { problemOf, Refusal } from '../../refusal.ts';
import { filesOpener } from '../../sessions/files/file-session.ts';
import { readText, writeText } from '../files/text.ts';
import { type AgentCall, openLeashed, type Surroundings } from './open-leashed.ts';
import type { AgentResult } from './run-agent-command.ts';

/** A text file that an agent reads, or replaces by `content`. */
export interface AgentFile extends AgentCall {
  readonly path: string;
  readonly content: string | undefined;
}

/**
 * Reads or replaces a text file for an agent, as a file session of its owner: within the root of
 * the account, with the rights of the permission, and with an entry in the log of transfers. Never
 * throws.
 */
export async function useAgentFile(
  file: AgentFile,
  surroundings: Surroundings,
): Promise<AgentResult> {
  const { path, content, room, signal } = file;
  let mask = (text: string, _isCut: boolean): string => text;
  let hasRun = false;
  let read = '';
  let problem: Problem | undefined;
  try {
    const session = await openLeashed(file, surroundings, {
      request: { protocol: 'ssh' },
      client: {
        stage: () => undefined,
        askCredentials: () => Promise.reject(new Refusal('agent_login')),
        opened: () => undefined,
        closed: () => undefined,
      },
      opener: filesOpener(),
      onParts({ capture }) {
        mask = capture.text;
      },
    });
    try {
      const { files } = session;
      const place = belowRoot(files.root, path);
      if (content === undefined) read = (await readText(files, place)).text;
      else await writeText(files, place, { text: content, charset: 'utf-8', version: '' });
      hasRun = true;
    } finally {
      session.end('session_finished');
      await session.ended;
    }
  } catch (error) {
    problem = signal.aborted ? problemOf(signal.reason) : problemOf(error);
    if (problem.code === 'internal')
      surroundings.ports.log.error({ err: error }, 'a call of an agent failed');
  }
  const bytes = Buffer.from(read.slice(0, MAX_TEXT_FILE));
  const kept = bytes.subarray(0, room);
  const isCut = kept.length < bytes.length;
  return {
    output: mask(new TextDecoder().decode(kept), isCut),
    errors: '',
    bytes: kept.length,
    isCut,
    exit: undefined,
    hasRun,
    problem,
  };
}

/**
 * Returns a path of the server as a path below the root of the account. A relative one begins
 * there. @throws Refusal for a path elsewhere
 */
function belowRoot(root: string, path: string): string {
  const whole = posix.resolve(root, path);
  if (root === '/') return whole;
  if (!whole.startsWith(`${root}/`)) throw new Refusal('file_outside');
  return whole.slice(root.length);
}
