import { type AuditVerification, formatDatetime, Permission } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { displayName } from '../../platform/actor.ts';
import type { OutsideVerdict } from './outside-heads.ts';
import type { Verdicts, Verifier } from './verification.ts';

type OutsideAnswer = Omit<OutsideVerdict, 'date'> & { readonly date: string | null };
type VerifyAnswer = Omit<Verdicts, 'outside'> & { readonly outside: readonly OutsideAnswer[] };

/** Maximum seconds of a request for reading recordings. The nightly job reads all recordings. */
const SECONDS = 10;
const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/**
 * Routes to verify the logs. Only for administrators and auditors of the installation: the chains
 * contain rows of all organizations.
 */
export function mountAudits(app: FastifyInstance, verifier: Verifier): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/audits/verify/',
    access: Permission.SUPER | Permission.AUDIT,
    area: 'logs',
    reads: true,
    summary:
      'Verify for some seconds that no log entry was changed, removed or inserted, and compare sessions and recordings, the newest first.',
    answer: samples<VerifyAnswer>(
      {
        intact: true,
        logs: [
          {
            log: 'operate_log',
            rows: 1284,
            removed: 0,
            first_break: null,
            last_break: null,
            sequence: 1284,
            digest: DIGEST,
            sm3: { first: 1001, sequence: 1284, digest: DIGEST },
          },
        ],
        sessions: { rows: 96, checked: 96, repaired: 0, wrong: 0, unread: 0, broken: [] },
        outside: [
          {
            place: 'bucket',
            name: 'recordings',
            server: '0f9d6c62-6c0e-4f53-9a44-0d0c7a1e5b10',
            date: '2026-11-20 04:30:07 +0800',
            state: 'present',
            problem: '',
          },
        ],
      },
      {
        intact: false,
        logs: [
          {
            log: 'login_log',
            rows: 310,
            removed: 40,
            first_break: 57,
            last_break: 57,
            sequence: 350,
            digest: DIGEST,
            sm3: null,
          },
        ],
        sessions: {
          rows: 96,
          checked: 96,
          repaired: 2,
          wrong: 1,
          unread: 0,
          broken: [
            { session: '6f9b2c64-5f0e-4c39-9d5f-2f1a3c0c7a11', problem: 'recording_changed' },
          ],
        },
        outside: [
          {
            place: 'bucket',
            name: 'recordings',
            server: '',
            date: null,
            state: 'unread',
            problem: 'storage: unavailable: connect ECONNREFUSED 192.0.2.9:9000',
          },
        ],
      },
    ),
    async handler({ actor, zone }): Promise<VerifyAnswer> {
      const { outside, ...verdicts } = await verifier.verify(displayName(actor), SECONDS);
      const dated = outside.map(({ date, ...one }) => ({
        ...one,
        date: date && formatDatetime(date, zone),
      }));
      return { ...verdicts, outside: dated };
    },
  });

  route(app, {
    method: 'GET',
    url: '/api/v1/audits/verification/',
    access: Permission.SUPER | Permission.AUDIT,
    area: 'logs',
    reads: true,
    summary: 'The result of the last verification of the audit logs.',
    answer: samples<AuditVerification>(
      { date: '2026-11-20 04:30:07 +0800', intact: true, by: '' },
      { date: null, intact: false, by: '' },
    ),
    async handler({ zone }): Promise<AuditVerification> {
      const last = await verifier.last();
      return last
        ? { date: formatDatetime(last.date, zone), intact: last.intact, by: last.by }
        : { date: null, intact: false, by: '' };
    },
  });
}
