import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { ShellRequest, TargetEvents } from '../../protocols/connector.ts';
import { Refusal } from '../../refusal.ts';
import type { SessionOpener } from '../open-session.ts';
import type { SessionParts } from '../session.ts';
import { EnforcedShell } from './enforced-shell.ts';
import { Recorder } from './recorder/recorder.ts';
import { TerminalSession, type TerminalSessionClient } from './terminal-session.ts';

const MEBIBYTE = 1024 * 1024;

/** What a terminal session begins with. */
export interface TerminalOpening {
  readonly client: TerminalSessionClient;
  readonly size: ShellRequest;
  readonly recordings: Recordings;
}

/** Opens terminal sessions: the recording first, then a shell. */
export function terminalOpener(opening: TerminalOpening): SessionOpener<TerminalSession> {
  return {
    kind: 'terminal',
    begin: (parts) => beginRecorded(opening, parts),
    async open(session, { openShell, openCommand }) {
      const { allowedCommands } = session.row.grant.systemUser;
      if (!openShell) throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      const command = await session.checkCommand();
      const events: TargetEvents = {
        onData: (chunk) => session.fromTarget(chunk),
        onExit: (exit) => opening.client.exited?.(exit),
        onEnd: (how) => session.targetEnded(how),
      };
      if (allowedCommands === undefined || command !== undefined) {
        session.attach(await openShell({ ...opening.size, command, ...(allowedCommands !== undefined && { environment: {} }) }, events));
        return;
      }
      if (!openCommand) throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      const { person, grant } = session.row;
      const decide = (line: string) => session.decideLine(line);
      const shell = new EnforcedShell({ openCommand, request: opening.size, events, grant, allowedCommands, language: person.language, decide });
      session.attach(shell);
      shell.start();
    },
  };
}

async function beginRecorded({ client, size, recordings }: TerminalOpening, parts: SessionParts): Promise<TerminalSession> {
  const { row, ports, limits } = parts;
  let session: TerminalSession | undefined;
  try {
    const recorder = await Recorder.start({
      recordings,
      sessionId: row.id,
      startedAt: row.dateStart,
      title: `${row.account}@${row.grant.asset.hostname}`,
      cols: size.cols,
      rows: size.rows,
      onFailure: (error) => {
        ports.log.error({ session: row.id, err: error }, 'a recording could not be written; the session ends');
        session?.end('session_recording_failed');
      },
      onDrain: () => session?.recorderDrained(),
      onFull: () => session?.end('session_recording_full', { megabytes: Math.round(limits.recordingBytes / MEBIBYTE) }),
      maxBytes: limits.recordingBytes,
      bytesPerSecond: limits.recordingBytesPerSecond,
      burstBytes: limits.recordingBurstBytes,
    });
    session = new TerminalSession({ ...parts, client, recorder, size, command: size.command });
    return session;
  } catch (error) {
    ports.log.error({ session: row.id, err: error }, 'a recording could not be created; the session is refused');
    throw new Refusal('session_recording_failed');
  }
}
