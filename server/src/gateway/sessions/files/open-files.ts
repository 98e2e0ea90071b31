import { allowedCommand } from '../../../platform/allowed-commands.ts';
import { Refusal } from '../../refusal.ts';
import type { SessionOpener } from '../open-session.ts';
import { FileSession } from './file-session.ts';

/** Name of file access in the command list of an enforced account. */
const SFTP = 'sftp';

/** Opens file sessions. The root must exist before anything is listed. */
export function filesOpener(): SessionOpener<FileSession> {
  return {
    kind: 'transfer',
    begin: async (parts) => {
      const { allowedCommands } = parts.row.grant.systemUser;
      if (
        allowedCommands !== undefined &&
        typeof allowedCommand(allowedCommands, SFTP) === 'string'
      )
        throw new Refusal('account_enforced');
      return new FileSession(parts);
    },
    async open(session, { openFiles }) {
      if (!openFiles)
        throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      await session.attach(await openFiles((how) => session.targetEnded(how)));
    },
  };
}
