import type { Language, Problem } from '@sallyport/contract';
import type { TargetExit } from '../../protocols/connector.ts';
import type { ChannelEvents, Channels } from '../../protocols/kubernetes/channels.ts';
import type { CommandEnd } from '../../protocols/kubernetes/command-status.ts';
import { wordProblem } from '../../refusal.ts';

/** The near side of a command at a pod. */
export interface PodClient extends ChannelEvents {
  /** Takes the streams of the client, once it is accepted. */
  attach(side: Channels): void;
}

/** Ends that are no fault: the command itself ended. */
const QUIET: ReadonlySet<string> = new Set(['connect_target_closed', 'session_finished']);

/** Returns the end of a command for its client. */
export function endFor(
  problem: Problem,
  exit: TargetExit | undefined,
  language: Language,
): CommandEnd {
  if (QUIET.has(problem.code) && exit) return { exit };
  return { message: wordProblem(problem, language) };
}
