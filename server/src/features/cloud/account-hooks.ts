import { X509Certificate } from 'node:crypto';
import { allows, cloudAccount, type LocalText, Permission, say } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { Forbidden, invalid } from '../../platform/errors.ts';
import type { JobDefinition } from '../../platform/jobs/definition.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { VALIDITY } from './words.ts';

/** Callers who may send requests of an account to another address than its provider. */
const CHOOSES_ENDPOINTS = Permission.SUPER | Permission.ADMIN;

export interface AccountHookOptions {
  isLicensed(): boolean;
  readonly jobs: Pick<Jobs, 'enqueue'>;
  readonly test: JobDefinition<{ readonly account: string }>;
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns true for `https://host` or `https://host:port` without a path. Requests add path and
 * signature.
 */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(text);
  return (
    protocol === 'https:' &&
    username === '' &&
    password === '' &&
    pathname === '/' &&
    search === '' &&
    hash === ''
  );
}

/** The hooks of cloud accounts. Saving one starts a test of its key. */
export const createAccountHooks = ({ isLicensed, jobs, test }: AccountHookOptions) =>
  hooksFor(cloudAccount, {
    columns: { validity_display: () => sql`t.validity`, problem: () => sql`t.problem` },
    present(rows, { caller: { language } }) {
      for (const row of rows) {
        if ('validity_display' in row)
          row.validity_display = say(
            VALIDITY[row.validity_display === true ? 'true' : 'false'],
            language,
          );
        if ('problem' in row)
          row.problem = row.problem ? say(row.problem as LocalText, language) : '';
      }
    },
    beforeSave(values, previous, { caller: { actor } }) {
      if (!previous && !isLicensed()) throw new Forbidden('license_required');
      const moves = (['endpoint', 'ca_certificate'] as const).filter(
        (name) => values[name] !== undefined && values[name] !== (previous?.[name] ?? ''),
      );
      const [first] = moves;
      if (first && !allows(actor.permissions, CHOOSES_ENDPOINTS))
        throw invalid(first, 'cloud_endpoint_super');
      if (values.endpoint && !isEndpoint(values.endpoint))
        throw invalid('endpoint', 'cloud_endpoint');
      if (values.ca_certificate && !isCertificate(values.ca_certificate))
        throw invalid('ca_certificate', 'not_certificate');
      const leadsElsewhere =
        moves.includes('endpoint') ||
        (values.provider !== undefined && values.provider !== previous?.provider);
      // A stored secret is never sent to another address.
      if ((!previous || leadsElsewhere) && !values.access_key_secret)
        throw invalid('access_key_secret', 'required');
    },
    async afterSave(saved, { tx }) {
      for (const { id } of saved) await jobs.enqueue(test, { account: id }, { tx });
    },
  });
