import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isUuid } from '@sallyport/contract';
import { type Config, StartError } from '../config.ts';
import { writeOperateLog } from '../features/audits/index.ts';
import {
  type EvidenceLack,
  type EvidenceRange,
  evidenceLack,
  exportEvidence,
} from '../features/evidence/index.ts';
import { readWitnessAuthority } from '../features/witness/index.ts';
import { DEFAULT_ORGANIZATION } from '../platform/actor.ts';
import { openDataKeys } from '../platform/crypto/data-keys.ts';
import { COMMAND } from '../platform/release.ts';
import { openSessions, withDatabase } from './with-database.ts';

/** The flags of the command. */
interface Flags {
  readonly session?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const LACKS: Readonly<Record<EvidenceLack, (flags: Flags) => string>> = {
  session: ({ session }) => `There is no ended session ${session}.`,
  period: () => 'No log has an entry of this period.',
  size: () => 'The period has too many sessions for one file. Export shorter periods.',
};

/** @throws StartError with an example */
function rangeOf({ session, from = '', to = '' }: Flags): EvidenceRange {
  if (isUuid(session)) return { session };
  const [first, last] = [new Date(from), new Date(to)];
  if (first < last) return { from: first, to: last };
  throw new StartError(
    `Name a session or a period: ${COMMAND} evidence export FILE --from=2026-11-01T00:00:00Z --to=2026-11-08T00:00:00Z`,
  );
}

/**
 * Writes evidence to a new file, which only its owner can read. The operate log gets an entry.
 * @throws StartError
 */
export async function writeEvidence(config: Config, file: string, flags: Flags): Promise<void> {
  const range = rangeOf(flags);
  const authority = readWitnessAuthority(config)?.pem;
  await withDatabase(config, async ({ db }) => {
    const lack = await evidenceLack(db, range);
    if (lack) throw new StartError(LACKS[lack](flags));
    const { vault } = await openDataKeys(db, config);
    const { shared } = await openSessions(db, config, vault);
    const actor = {
      name: 'Command line',
      username: '',
      organization: DEFAULT_ORGANIZATION,
      remoteAddress: '',
    };
    await db.transaction((tx) =>
      writeOperateLog(
        tx,
        { actor },
        {
          action: 'view',
          resourceType: 'audit_log',
          resource: Object.values(range)
            .map((one) => (one instanceof Date ? one.toISOString() : one))
            .join(' - '),
          resourceId: '',
        },
      ),
    );
    const evidence = exportEvidence({ db, recordings: shared, range, authority });
    await pipeline(Readable.from(evidence), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  });
}
