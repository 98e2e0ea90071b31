import { defineJob, type JobDefinition } from '../../platform/jobs/definition.ts';

/** Seals the audit logs every minute. Each server keeps the newest seals in a file of its own, so all of them are asked to. */
export function createSealJob(sealEverywhere: () => Promise<void>): JobDefinition<void> {
  return defineJob<void>({
    name: 'audit-seal',
    title: { en: 'Seal the audit logs', zh: '审计日志封存' },
    input: () => undefined,
    schedule: () => ({ everyMinutes: 1 }),
    overlap: 'dropped',
    retries: { limit: 0, delaySeconds: 0 },
    repeatable: true,
    timeoutSeconds: 300,
    access: 'server',
    history: 'failures',
    run: sealEverywhere,
  });
}
