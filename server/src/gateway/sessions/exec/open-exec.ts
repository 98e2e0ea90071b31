import type { Recordings } from '../../../platform/storage/recordings.ts';
import { EXEC_WINDOW } from '../../limits.ts';
import type { ExecRequest } from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';
import { beginRecorded } from '../begin-recorded.ts';
import type { SessionOpener } from '../open-session.ts';
import { Recorder } from '../terminal/recorder/recorder.ts';
import { type ExecClient, ExecSession } from './exec-session.ts';
import { requireTransferRight } from './transfer-log.ts';

export interface ExecOpening {
  readonly client: ExecClient;
  readonly request: ExecRequest;
  readonly recordings: Recordings;
}

/** Log text for a shell, which has no command. */
const SHELL = '(shell without a terminal)';
/** Size of the recording; the command has no terminal. */
const COLS = 120;
const ROWS = 30;

/** Opens sessions of one command: first recording and guard, then the command. */
export function execOpener({
  client,
  request,
  recordings,
}: ExecOpening): SessionOpener<ExecSession> {
  return {
    kind: 'terminal',
    begin: (parts) =>
      beginRecorded(parts, recordings, async (options) => {
        const recorder = await Recorder.start({
          ...options,
          cols: COLS,
          rows: ROWS,
          // The recorded part is too small for back pressure or limits.
          onDrain: () => undefined,
          onFull: () => undefined,
          maxBytes: 2 ** 40,
          bytesPerSecond: EXEC_WINDOW,
          burstBytes: 2 ** 40,
        });
        return new ExecSession({ ...parts, client, recorder, command: request.command ?? SHELL });
      }),
    async open(session, { openExec }) {
      if (!openExec)
        throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      const command =
        request.command === undefined ? undefined : await allowedCommand(session, request.command);
      const isEnforced = session.row.grant.systemUser.allowedCommands !== undefined;
      if (command === undefined && isEnforced) throw new Refusal('account_enforced');
      // The guard cannot check the lines of a shell without a terminal.
      if (command === undefined && session.isGuarded) throw new Refusal('shell_unguarded');
      const target = await openExec(
        // Locale or library paths could change the meaning of the command.
        { ...request, command, ...(isEnforced && { environment: {} }) },
        {
          onOutput: (chunk, isError) => session.fromTarget(chunk, isError),
          onDrain: () => client.inputDrained(),
          onExit: (exit) => session.exited(exit),
          onEnd: (how, message) => session.targetEnded(how, message),
        },
      );
      session.attach(target);
    },
  };
}

async function allowedCommand(session: ExecSession, command: string): Promise<string> {
  requireTransferRight(command, session.row.grant.actions);
  return session.checkCommand();
}
