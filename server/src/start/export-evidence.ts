import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isUuid, posixPath } from '@sallyport/contract';
import { type Config, StartError } from '../config.ts';
import { writeOperateLog } from '../features/audits/index.ts';
import {
  assertExportable,
  type EvidenceRange,
  exportEvidence,
  rangeName,
} from '../features/evidence/index.ts';
import { readWitnessAuthority } from '../features/witness/index.ts';
import { DEFAULT_ORGANIZATION } from '../platform/actor.ts';
import { openDataKeys } from '../platform/crypto/data-keys.ts';
import { signingSm2Key } from '../platform/crypto/sm2-keys.ts';
import { AppError, describeProblem } from '../platform/errors.ts';
import { COMMAND } from '../platform/release.ts';
import { openSessions, withDatabase } from './with-database.ts';

/** The flags of the command. */
interface Flags {
  readonly session?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

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
 * Returns the size of the file and the next step as text.
 * @throws StartError
 */
export async function writeEvidence(config: Config, file: string, flags: Flags): Promise<string> {
  const range = rangeOf(flags);
  const authority = readWitnessAuthority(config)?.pem;
  await withDatabase(config, async ({ db }) => {
    await assertExportable(db, range).catch((error: unknown) => {
      throw error instanceof AppError ? new StartError(describeProblem(error, 'en')) : error;
    });
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
          resource: rangeName(range),
          resourceId: '',
        },
      ),
    );
    const signingKey = config.suite === 'national' ? () => signingSm2Key(db, vault) : undefined;
    const evidence = exportEvidence({
      db,
      vault,
      recordings: shared,
      range,
      authority,
      signingKey,
    });
    await pipeline(Readable.from(evidence), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  });
  const { size } = await stat(file);
  const next = authority
    ? `Prove it on any machine: node verify.mjs ${posixPath(basename(file))} --ca=CA.pem\n`
    : 'No witness is configured (SALLYPORT_WITNESS_URL): only rows with earlier tokens can be proven.\n';
  return `evidence: ${file} (${size} bytes)\n${next}`;
}
