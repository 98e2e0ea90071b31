import {
  defineHousekeeping,
  defineJob,
  type JobDefinition,
} from '../../platform/jobs/definition.ts';
import type { Logger } from '../../platform/log.ts';
import { COMMAND } from '../../platform/release.ts';
import { isUnread, sessionWords, type Verifier } from './verification.ts';

/**
 * Seals the audit logs every minute. All servers do it, as each keeps the newest seals in its file.
 */
export function createSealJob(sealEverywhere: () => Promise<void>): JobDefinition<void> {
  return defineHousekeeping({
    name: 'audit-seal',
    title: { en: 'Seal the audit logs', zh: '封存审计日志' },
    everyMinutes: 1,
    run: sealEverywhere,
  });
}

/**
 * Verifies the audit logs every night. The job succeeds even if a log is not intact: the start page
 * reports that.
 */
export function createVerifyJob(verifier: Verifier, log: Logger): JobDefinition<void> {
  return defineJob<void, unknown>({
    name: 'audit-verify',
    title: { en: 'Verify the audit logs', zh: '校验审计日志' },
    input: () => undefined,
    schedule: () => ({ dailyAt: '04:30' }),
    overlap: 'dropped',
    retries: { limit: 1, delaySeconds: 600 },
    repeatable: true,
    timeoutSeconds: 6 * 3600,
    access: 'server',
    history: 'all',
    async run({ log: say }) {
      const verdicts = await verifier.verify('');
      for (const { log: name, rows, first_break: broken } of verdicts.logs) {
        say(`${name}: ${rows} rows, ${broken === null ? 'intact' : `not intact at row ${broken}`}`);
        if (broken !== null)
          log.error(
            { log: name, row: broken },
            `an audit log is not intact; run: ${COMMAND} audit verify`,
          );
      }
      for (const { place, name, state, problem } of verdicts.outside)
        if (state !== 'present') say(`newest rows in ${place} ${name}: ${state} ${problem}`);
      const { sessions } = verdicts;
      say(`sessions: ${sessions.checked} compared, ${sessionWords(sessions)}`);
      for (const { session, problem } of sessions.broken) {
        say(`session ${session}: ${problem}`);
        if (isUnread(problem))
          log.warn({ session, problem }, 'a session could not be read, and is verified again');
        else
          log.error(
            { session, problem },
            `a session or its recording is not as it was; run: ${COMMAND} audit verify`,
          );
      }
      return verdicts;
    },
  });
}
