import type { FileRecord } from '../../gateway/ports/records.ts';
import type { TargetFiles } from '../../gateway/protocols/connector.ts';
import { Boundary } from '../../gateway/sessions/files/boundary.ts';
import type { FileContext } from '../../gateway/sessions/files/file-context.ts';
import { ReadAhead } from '../../gateway/sessions/files/read-ahead.ts';

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
    require: () => undefined,
    note: async (record) => onNote(record),
    active: () => undefined,
    keep: () => undefined,
    release: () => undefined,
    during: (work) => work(),
    ending: () => undefined,
  };
}
