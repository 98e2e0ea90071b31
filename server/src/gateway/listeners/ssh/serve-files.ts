import type { Problem } from '@sallyport/contract';
import type { OpenChannel, SessionOwner } from './channel-sessions.ts';
import type { TargetName } from './destination.ts';
import { resolveTarget } from './resolve.ts';
import { Mounts } from './sftp/mounts.ts';
import { SftpServer } from './sftp/sftp-server.ts';
import { GrantedTree, targetTree } from './sftp/tree.ts';
import { tell } from './text-error.ts';
import { sayWaits } from './words.ts';

/**
 * Ends of a file session after which the next request opens a new one. Other ends close the
 * channel.
 */
const REOPENED: ReadonlySet<string> = new Set([
  'session_idle',
  'session_finished',
  'connect_target_lost',
  'connect_target_closed',
]);

export interface FileChannel extends OpenChannel {
  readonly owner: SessionOwner;
  readonly userId: string;
  /** The named server; undefined for all granted servers. */
  readonly target: TargetName | undefined;
  /** Called when a session ends for a reason that ends the channel. */
  readonly onProblem: (problem: Problem) => void;
  /** Called when the client ends SFTP. */
  readonly onEnd: () => void;
  /** Called at the start with a function that gives the connections up. */
  readonly onBegin: (end: () => void) => void;
}

/**
 * Creates the SFTP server of a channel, for the files of the named server or of all granted ones.
 * @throws Refusal, TextError when the named server cannot be reached
 */
export async function createFileServer({
  owner,
  userId,
  target,
  channel,
  writer,
  language,
  onProblem,
  onEnd,
  onBegin,
}: FileChannel): Promise<{ readonly start: () => void; readonly end: () => void }> {
  const { context } = owner;
  const person = owner.person(language);
  const mounts = new Mounts({
    context,
    person,
    onEnded: (problem) => {
      if (!REOPENED.has(problem.code)) onProblem(problem);
    },
    onWaits: (progress) => tell(writer, sayWaits(language, progress)),
  });
  onBegin(() => mounts.end());
  // Report problems of a named server immediately.
  const request = target && (await resolveTarget(context, person, target));
  if (request) await mounts.files(request);
  const tree = request
    ? targetTree(() => mounts.files({ ...request, early: undefined }))
    : new GrantedTree({
        targets: context.ssh.targets,
        userId,
        files: (account) => mounts.files(account),
      });
  const server = new SftpServer({
    channel,
    writer,
    tree,
    language,
    log: context.ports.log,
    onEnd,
  });
  return {
    start: () => server.start(),
    end: () => void server.end().finally(() => mounts.end()),
  };
}
