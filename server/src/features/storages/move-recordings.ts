import type { Core, Timer } from '../../module.ts';
import { within } from '../../platform/within.ts';
import type { Processes } from '../servers/index.ts';
import { claimCopies, createCopier, removeCopy } from './recording-copies.ts';
import { createUploader, UploadState } from './upload.ts';

/** Interval between looks for bytes of running recordings that wait for their copy. */
const COPY_MILLISECONDS = 2_000;
/** Maximum time of a stop for recordings that are not in their storage. */
const LAST_UPLOAD_MILLISECONDS = 10_000;

interface ThisServer {
  readonly serverId: string;
  readonly processes: Pick<Processes, 'isFirst'>;
  readonly isAlone: boolean;
}

/**
 * Brings the recordings of this server into its storage: their parts while sessions run, and the
 * finished ones soon after.
 */
export function moveRecordings(
  core: Pick<Core, 'db' | 'bus' | 'log' | 'vault' | 'recordings'>,
  { serverId: holder, processes, isAlone }: ThisServer,
) {
  const { bus, recordings } = core;
  const state = new UploadState(core.db, holder);
  const copying = { ...core, holder, state };
  // Each server moves its own recordings, which are on its disk, in one of its processes.
  const uploader = createUploader({
    ...copying,
    removeCopy: (session) => removeCopy(copying, session),
  });
  bus.subscribe('upload_recordings', (server) => {
    if (processes.isFirst && (server === '' || server === holder)) void uploader.run();
  });
  const copier = createCopier(copying);
  const copy = async () => {
    await copier.run();
    // The disk of this server is the only place of their ends until then.
    if (recordings.copies.takeEnded()) await bus.publish('upload_recordings', holder);
  };
  // The database of a server that is alone is on the same disk.
  const timers: readonly Timer[] = isAlone
    ? []
    : [{ everyMilliseconds: COPY_MILLISECONDS, run: copy }];
  return {
    timers,
    waiting: uploader.waiting,
    isWell: () => state.problem === '',
    claimCopies: () => claimCopies(copying),
    /** Moves the last recordings. The machine may not return, for example that of a container. */
    stop: () => within(uploader.run(), LAST_UPLOAD_MILLISECONDS, () => undefined),
  };
}
