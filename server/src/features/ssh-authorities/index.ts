import { defineModule } from '../../module.ts';
import { audits } from '../audits/index.ts';
import { createAuthorityHooks } from './hooks.ts';
import { createCertificateIssuer } from './issue.ts';

export type { CertificateIssuer } from './issue.ts';

/** Authorities that sign SSH certificates for system users, and the certificates they issue. */
export const sshAuthorities = defineModule({
  name: 'ssh-authorities',
  tables: ['ssh_authority'],
  create({ core: { db, vault, config, log }, use }) {
    return {
      service: createCertificateIssuer({
        db,
        vault,
        audit: use(audits).write,
        command: config.sshCaCommand,
        log,
      }),
      hooks: { ssh_authority: createAuthorityHooks(vault) },
    };
  },
});
