import { Refusal } from '../../refusal.ts';
import type { SessionOpener } from '../open-session.ts';
import { FileSession } from './file-session.ts';

/** Opens sessions for files: the root must be there before anything is listed. */
export function filesOpener(): SessionOpener<FileSession> {
  return {
    kind: 'transfer',
    begin: async (parts) => new FileSession(parts),
    async open(session, { openFiles }) {
      if (!openFiles) throw new Refusal('connect_protocol', { protocol: session.row.grant.systemUser.protocol });
      await session.attach(await openFiles((how) => session.targetEnded(how)));
    },
  };
}
