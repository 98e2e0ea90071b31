import { defineHousekeeping, type JobDefinition } from '../../platform/jobs/definition.ts';

/** Seals the audit logs every minute. Each server keeps the newest seals in a file of its own, so all of them are asked to. */
export function createSealJob(sealEverywhere: () => Promise<void>): JobDefinition<void> {
  return defineHousekeeping({ name: 'audit-seal', title: { en: 'Seal the audit logs', zh: '审计日志封存' }, everyMinutes: 1, run: sealEverywhere });
}
