import { FEATURE_NAMES, type FeatureRow, isFeatureName, Permission } from '@sallyport/contract';
import { route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { defineModule } from '../../module.ts';
import { attentionNames } from '../../resources/attention.ts';
import { audits } from '../audits/index.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { recordFeatures } from './record.ts';

/** The features that this installation switched off by `SALLYPORT_WITHOUT`. */
export const optional = defineModule({
  name: 'optional',
  tables: [],
  create({ core: { db, off, isCommand }, use, engine }) {
    const names = off.map(({ name }) => name).filter(isFeatureName);
    /** The features whose rules stay in force while they are off, with the number of rules. */
    const heldRules = async (from: typeof db) => {
      const counted = await Promise.all(
        off.map(async ({ name, countRules }) => [name, (await countRules?.(from)) ?? 0] as const),
      );
      return new Map(counted.filter(([, count]) => count > 0));
    };
    return {
      service: {},
      attention: {
        facts: {
          kinds: ['protection_off'],
          access: Permission.SUPER,
          read: async (one) => [
            ['protection_off', attentionNames([...(await heldRules(one)).keys()])],
          ],
        },
      },
      routes: ({ http }) =>
        route(http, {
          method: 'GET',
          url: '/api/v1/common/features/',
          access: Permission.SUPER | Permission.AUDIT,
          area: 'settings',
          summary: 'List the features that an installation can switch off.',
          answer: samples<readonly FeatureRow[]>([
            { name: 'alerts', on: false, rules: 0 },
            { name: 'scim', on: true, rules: 0 },
          ]),
          async handler(): Promise<readonly FeatureRow[]> {
            const rules = await heldRules(db);
            return FEATURE_NAMES.map((name) => ({
              name,
              on: !names.includes(name),
              rules: rules.get(name) ?? 0,
            }));
          },
        }),
      async start() {
        if (isCommand || !use(servers).processes.isFirst) return;
        for (const { suspend } of off) await suspend?.({ db, engine });
        await recordFeatures({ db, settings: use(settings), audit: use(audits).write }, names);
      },
    };
  },
});
