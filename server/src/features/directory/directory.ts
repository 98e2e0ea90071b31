import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../../config.ts';
import type { AuditWriter } from '../../http/resource/hooks.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/log.ts';
import type { PasswordChecker } from '../identity/sign-in/password-checkers.ts';
import type { SettingsService } from '../settings/service.ts';
import { createLdapChecker } from './ldap-checker.ts';
import { type Authorities, configOf, savedForm } from './ldap-settings.ts';
import { createPeriodicImport } from './periodic.ts';
import { mountPeriodic } from './periodic-route.ts';
import { createSync } from './sync.ts';
import { mountLdapTests } from './test-routes.ts';
import { mountLdapUsers } from './user-routes.ts';

/** People who are kept in a directory elsewhere. */
export interface Directory {
  readonly checker: PasswordChecker;
  mount(app: FastifyInstance): void;
  /** Imports everybody when the settings say that it is time; to be asked often. */
  importWhenDue(now?: Date): Promise<void>;
  /** Stops reading it. */
  stop(): Promise<void>;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Reads the certificates that directories are verified by. @throws StartError when the operator named a file that has none */
export function readAuthorities(file: string | undefined): Authorities {
  if (file === undefined) return undefined;
  let content = '';
  try {
    content = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`SALLYPORT_LDAP_CA_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  const certificates = content.match(CERTIFICATE);
  if (!certificates) throw new StartError(`SALLYPORT_LDAP_CA_FILE: ${file} holds no certificate in PEM form.`);
  return certificates;
}

/** Opens the LDAP directory of the settings. */
export function createDirectory(options: { db: Db; settings: SettingsService; authorities: Authorities; audit: AuditWriter; log: Logger }): Directory {
  const { db, settings, authorities, audit, log } = options;
  const sync = createSync({ db, config: () => configOf(savedForm(settings), authorities), log });
  const periodic = createPeriodicImport({ db, settings, sync, audit, log });
  return {
    checker: createLdapChecker(options),
    mount(app) {
      mountLdapTests(app, { settings, authorities });
      mountLdapUsers(app, { db, sync, audit });
      mountPeriodic(app, db);
    },
    importWhenDue: (now) => periodic.tick(now),
    async stop() {
      await Promise.all([sync.stop(), periodic.stop()]);
    },
  };
}
