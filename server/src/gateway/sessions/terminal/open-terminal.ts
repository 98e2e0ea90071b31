import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { ShellRequest, TargetEvents } from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';
import { beginRecorded } from '../begin-recorded.ts';
import type { SessionOpener } from '../open-session.ts';
import { EnforcedShell } from './enforced-shell.ts';
import { Recorder } from './recorder/recorder.ts';
import { openAs } from './switch-user.ts';
import type { TerminalSessionClient } from './terminal-client.ts';
import { TerminalSession } from './terminal-session.ts';

export interface TerminalOpening {
  readonly client: TerminalSessionClient;
  readonly size: ShellRequest;
  readonly recordings: Recordings;
}

/** Opens terminal sessions: first the recording, then a shell. */
export function terminalOpener(opening: TerminalOpening): SessionOpener<TerminalSession> {
  return {
    kind: 'terminal',
    // A command runs at once, before a reviewer can watch.
    isInteractive: opening.size.command === undefined,
    begin: (parts) =>
      beginRecorded(parts, opening.recordings, async (options) => {
        const { client, size } = opening;
        const recorder = await Recorder.start({ ...options, cols: size.cols, rows: size.rows });
        return new TerminalSession({ ...parts, client, recorder, size });
      }),
    async open(session, { openShell, openCommand }, account) {
      const { allowedCommands } = session.row.grant.systemUser;
      if (!openShell)
        throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      const size = { ...opening.size, charset: session.row.grant.asset.charset };
      const command =
        opening.size.command === undefined
          ? undefined
          : await session.commands.checkWhole(opening.size.command);
      const events: TargetEvents = {
        onData: (chunk) => session.fromTarget(chunk),
        onExit: (exit) => opening.client.exited?.(exit),
        onEnd: (how, message) => session.targetEnded(how, message),
      };
      if (account) {
        session.attach(await openAs(account, { openShell, request: size, events }));
        return;
      }
      if (allowedCommands === undefined || command !== undefined) {
        session.attach(
          await openShell(
            { ...size, command, ...(allowedCommands !== undefined && { environment: {} }) },
            events,
          ),
        );
        return;
      }
      if (!openCommand)
        throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      const { person, grant } = session.row;
      const decide = (line: string) => session.commands.decideLine(line);
      const shell = new EnforcedShell({
        openCommand,
        request: opening.size,
        events,
        grant,
        allowedCommands,
        language: person.language,
        decide,
      });
      session.attach(shell);
      shell.start();
    },
  };
}
