import { defineModule } from '../../module.ts';
import { signingSm2Key } from '../../platform/crypto/sm2-keys.ts';
import { audits } from '../audits/index.ts';
import { sessions } from '../sessions/index.ts';
import { readWitnessAuthority } from '../witness/index.ts';
import { mountEvidence } from './routes.ts';

export { assertExportable, type EvidenceRange, exportEvidence, rangeName } from './export.ts';

/** Evidence of sessions and logs that is proven without the server. */
export const evidence = defineModule({
  name: 'evidence',
  tables: [],
  create({ core: { db, config, vault }, use }) {
    const { recordings } = use(sessions);
    const authority = readWitnessAuthority(config)?.pem;
    const { write } = use(audits);
    const signingKey = config.suite === 'national' ? () => signingSm2Key(db, vault) : undefined;
    return {
      service: {},
      routes: ({ http }) =>
        mountEvidence(http, { db, vault, recordings, authority, signingKey, write }),
    };
  },
});
