import { readFileSync } from 'node:fs';
import { type AuditWitness, formatDatetime, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { type Config, StartError } from '../../config.ts';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { defineModule } from '../../module.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { defineHousekeeping } from '../../platform/jobs/definition.ts';
import { readAuthorities, type TimestampAuthority } from '../../platform/timestamp/request.ts';
import { within } from '../../platform/within.ts';
import { audits, type OutsidePlace, seenHeads } from '../audits/index.ts';
import { health } from '../health/index.ts';
import { servers } from '../servers/index.ts';
import { createWitnessAttention } from './attention.ts';
import { readBucketHeads } from './bucket-heads.ts';
import { createHeadKeeper } from './head-keeper.ts';
import { createWitnesses, type Witnesses } from './service.ts';
import { readStatements } from './statements.ts';

export { type Witnesses, witnessFamilies } from './service.ts';

/** Interval of the health note in milliseconds. */
const EVERY = 60_000;
/** Maximum time of a stop for a bucket that is slow. */
const STOP_MILLISECONDS = 3_000;

/**
 * Reads the configured authority with its certificates, also in PEM.
 * @throws StartError if their file cannot be read
 */
export function readWitnessAuthority({
  witness: configured,
}: Config): (TimestampAuthority & { readonly pem: string }) | undefined {
  if (!configured) return undefined;
  try {
    const pem = readFileSync(configured.caFile, 'utf8');
    return { url: configured.url, authorities: readAuthorities(pem), pem };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(
      `SALLYPORT_WITNESS_CA_FILE cannot be used: ${code ?? message}. Name a file with certificates in PEM.`,
    );
  }
}

/** Reads the newest rows of the audit logs that buckets and the witness have. */
export async function readOutside(db: Db, vault: Vault): Promise<readonly OutsidePlace[]> {
  return [...(await readStatements(db)), ...(await readBucketHeads(db, vault))];
}

function mountWitness(app: FastifyInstance, witnesses: Witnesses): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/audits/witness/',
    access: Permission.SUPER | Permission.AUDIT,
    area: 'logs',
    summary:
      'The last signature of the witness on the audit logs, and the entries that wait for one.',
    answer: samples<AuditWitness>(
      {
        configured: true,
        date: '2026-11-20 04:30:07 +0800',
        authority: 'CN=Example timestamps',
        waiting: 0,
        missing: false,
        problem: '',
      },
      { configured: false, date: null, authority: '', waiting: 0, missing: false, problem: '' },
    ),
    async handler({ zone }): Promise<AuditWitness> {
      const { isConfigured, isMissing, last, authority, waiting, problem } =
        await witnesses.state();
      return {
        configured: isConfigured,
        date: last && formatDatetime(last, zone),
        authority,
        waiting,
        missing: isMissing,
        problem,
      };
    },
  });
}

/** The outside witness of the audit logs. */
export const witness = defineModule({
  name: 'witness',
  tables: ['audit_witness'],
  create({ core: { db, config, log, vault, bus, isCommand }, use }) {
    const authority = readWitnessAuthority(config);
    const witnesses = createWitnesses({ db, authority, log });
    const { serverId, processes } = use(servers);
    use(audits).verifier.compareOutside(() => readOutside(db, vault));
    const keeper = createHeadKeeper({
      db,
      vault,
      log,
      server: serverId,
      seen: () => seenHeads(config.dataDirectory),
    });
    // After each seal. Runs of this process follow one another.
    let keeping: Promise<void> | undefined;
    const keep = () => {
      keeping ??= keeper
        .run()
        .catch((error: unknown) =>
          log.error(
            { error: String(error) },
            'the newest rows of the audit logs could not be compared with a bucket',
          ),
        )
        .finally(() => {
          keeping = undefined;
        });
    };
    if (!isCommand)
      void bus.subscribe('audit_seal', () => {
        if (processes.isFirst) keep();
      });
    let isWell: boolean | undefined;
    use(health).addNote('audit_witness', () => isWell);
    const look = async () => {
      if (authority) isWell = !(await witnesses.state()).isMissing;
    };
    return {
      service: witnesses,
      attention: createWitnessAttention(witnesses),
      stop: () => keeping && within(keeping, STOP_MILLISECONDS, () => undefined),
      routes: ({ http }) => mountWitness(http, witnesses),
      timers: [{ everyMilliseconds: EVERY, run: look }],
      jobs: [
        // More often than a statement is due, as each run tries again what waits.
        defineHousekeeping({
          name: 'audit-witness',
          title: { en: 'Have the audit logs witnessed', zh: '审计日志外部见证' },
          everyMinutes: 5,
          timeoutSeconds: 1800,
          run: () => witnesses.run().finally(look),
        }),
      ],
    };
  },
});
