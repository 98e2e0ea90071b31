import { ERRORS, formatDatetime, type LdapPeriodic, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Authorities, configOf, savedForm } from '../../platform/directory/saved-config.ts';
import { describeProblem } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import { type SettingsService, SUPER } from '../../platform/settings/service.ts';
import type { AuditWriter } from '../../resources/hooks.ts';
import type { Writer } from '../../resources/write/writer.ts';
import type { PasswordChecker } from '../identity/index.ts';
import { createLdapChecker } from './ldap-checker.ts';
import { createImportJob, createReadJob, type ImportResult } from './periodic.ts';
import { mountReading } from './reading-routes.ts';
import { createSync } from './sync.ts';
import { mountLdapTests } from './test-routes.ts';
import { mountLdapUsers } from './user-routes.ts';

const DONE: LdapPeriodic = {
  date_begun: '2026-01-31 02:30:00 +0800',
  date_done: '2026-01-31 02:30:04 +0800',
  reason: '',
  created: 2,
  updated: 5,
  unchanged: 1_993,
  refused: [{ username: 'bad name', reason: say(ERRORS.not_username, 'en') }],
};

/** Mounts the route for the result of the last scheduled import. */
function mountPeriodic(app: FastifyInstance, jobs: Jobs): void {
  route(app, {
    method: 'GET',
    url: '/api/v1/settings/ldap/periodic/',
    access: SUPER,
    area: 'operation',
    summary:
      'The time and the result of the last automatic import of the directory; nulls if there was none.',
    answer: samples<LdapPeriodic>(DONE, { ...DONE, date_begun: null, date_done: null }),
    async handler({ language, zone }): Promise<LdapPeriodic> {
      const row = await jobs.latest<ImportResult>({ name: 'ldap-import' });
      const date = (moment: Date | null | undefined) =>
        moment ? formatDatetime(moment, zone) : null;
      const { created = 0, updated = 0, unchanged = 0, refused = [] } = row?.result ?? {};
      return {
        date_begun: date(row?.date_started),
        date_done: date(row?.date_finished),
        reason: row?.problem ? describeProblem(row.problem, language) : '',
        created,
        updated,
        unchanged,
        refused: refused.map(({ username, reason }) => ({
          username,
          reason: say(ERRORS[reason], language),
        })),
      };
    },
  });
}

/** Users whose accounts are maintained in a directory. */
export interface Directory {
  readonly checker: PasswordChecker;
  mount(app: FastifyInstance, audit: AuditWriter): void;
  readonly jobs: readonly JobDefinition[];
}

/** Creates the service of the LDAP directory in the settings. */
export function createDirectory(options: {
  db: Db;
  jobs: Jobs;
  settings: SettingsService;
  authorities: Authorities;
  /** Writes accounts. Available after all features were created. */
  accounts: () => Writer;
  log: Logger;
}): Directory {
  const { db, jobs, settings, authorities, accounts, log } = options;
  const sync = createSync({
    db,
    jobs,
    config: () => configOf(savedForm(settings), authorities),
    accounts,
    log,
  });
  return {
    checker: createLdapChecker(options),
    mount(app, audit) {
      mountLdapTests(app, { settings, authorities, db, accounts });
      mountLdapUsers(app, { db, sync, accounts });
      mountPeriodic(app, jobs);
      mountReading(app, { db, accounts, audit });
    },
    jobs: [
      sync.job,
      createReadJob(settings, sync),
      createImportJob({ db, settings, sync, accounts, log }),
    ],
  };
}
