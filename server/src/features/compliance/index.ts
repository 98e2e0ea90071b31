import { defineModule } from '../../module.ts';
import { audits } from '../audits/index.ts';
import { settings } from '../settings/index.ts';
import { witness } from '../witness/index.ts';
import { createDriftAttention } from './attention.ts';
import { mountCompliance } from './routes.ts';

/** Presets of settings with a report per clause of a standard. */
export const compliance = defineModule({
  name: 'compliance',
  tables: [],
  create({ core: { db, config }, use }) {
    const { verifier, write } = use(audits);
    return {
      service: {},
      attention: createDriftAttention(use(settings)),
      routes: ({ http }) =>
        mountCompliance(http, {
          db,
          settings: use(settings),
          audit: write,
          keepAtLeast: config.keepAtLeast,
          verifier,
          witnesses: use(witness),
          suite: config.suite,
        }),
    };
  },
});
