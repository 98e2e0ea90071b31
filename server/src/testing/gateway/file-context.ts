import { randomUUID } from 'node:crypto';
import type { FileRecord } from '../../gateway/ports/records.ts';
import type { TargetFiles } from '../../gateway/protocols/connector.ts';
import { Boundary } from '../../gateway/sessions/files/boundary.ts';
import type { FileContext } from '../../gateway/sessions/files/file-context.ts';
import { KeptParts } from '../../gateway/sessions/files/kept-parts.ts';
import { ReadAhead } from '../../gateway/sessions/files/read-ahead.ts';

import { grantFor, PERSON } from './memory-ports.ts';

/** Opens the home folder of a target for a user with all rights. */
export async function openFileContext(
  files: TargetFiles,
  onNote: (record: FileRecord) => void,
): Promise<FileContext> {
  return {
    files,
    boundary: await Boundary.open(files, 'home'),
    charset: 'utf8',
    ahead: new ReadAhead(files),
    kept: new KeptParts(undefined, {
      id: randomUUID(),
      person: PERSON,
      grant: grantFor({ host: '127.0.0.1', port: 1, username: 'ops', privateKey: '' }),
      account: 'ops',
      dateStart: new Date(),
    }),
    require: () => undefined,
    note: async (record) => onNote(record),
    active: () => undefined,
    keep: () => undefined,
    release: () => undefined,
    during: (work) => work(),
    ending: () => undefined,
  };
}
