import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../../config.ts';
import type { Db } from '../../platform/db/database.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Writer } from '../../resources/write/writer.ts';
import type { PasswordChecker } from '../identity/index.ts';
import { createLdapChecker } from './ldap-checker.ts';
import { type Authorities, configOf, savedForm } from './ldap-settings.ts';
import { createImportJob } from './periodic.ts';
import { mountPeriodic } from './periodic-routes.ts';
import { createSync } from './sync.ts';
import { mountLdapTests } from './test-routes.ts';
import { mountLdapUsers } from './user-routes.ts';

/** Users whose accounts are maintained in a directory. */
export interface Directory {
  readonly checker: PasswordChecker;
  mount(app: FastifyInstance): void;
  readonly jobs: readonly JobDefinition[];
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * Reads the certificates that verify directories.
 * @throws StartError if the file of the operator contains none
 */
export function readAuthorities(file: string | undefined): Authorities {
  if (file === undefined) return undefined;
  let content = '';
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(
      `SALLYPORT_LDAP_CA_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  const certificates = content.match(CERTIFICATE);
  if (!certificates)
    throw new StartError(`SALLYPORT_LDAP_CA_FILE: ${file} holds no certificate in PEM form.`);
  return certificates;
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
  const sync = createSync({ db, jobs, config: () => configOf(savedForm(settings), authorities) });
  return {
    checker: createLdapChecker(options),
    mount(app) {
      mountLdapTests(app, { settings, authorities });
      mountLdapUsers(app, { db, sync, accounts });
      mountPeriodic(app, jobs);
    },
    jobs: [sync.job, createImportJob({ db, settings, sync, accounts, log })],
  };
}
