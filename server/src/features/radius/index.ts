import { user } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { createRadiusChecker } from './radius-checker.ts';
import { radiusRule } from './setting-rule.ts';
import { mountRadiusTests } from './test-routes.ts';

/** Users whose passwords a RADIUS server verifies. */
export const radius = defineModule({
  name: 'radius',
  tables: [],
  create({ core: { db, log }, use, engine }) {
    const inForce = use(settings);
    inForce.addRule('radius', radiusRule);
    use(identity).addChecker(
      createRadiusChecker({ db, settings: inForce, accounts: () => engine(user).writer, log }),
    );
    return { service: {}, routes: ({ http }) => mountRadiusTests(http, inForce) };
  },
});
