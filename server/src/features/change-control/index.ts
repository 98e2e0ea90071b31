import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { settings } from '../settings/index.ts';
import { tickets } from '../tickets/index.ts';
import { changeSetAttention } from './attention.ts';
import { countControls } from './count-controls.ts';
import { applyDueSets, createDueJob } from './due.ts';
import { createRequestControl } from './requests.ts';
import { mountChangeControl } from './routes.ts';
import { forgetSets } from './store.ts';

/** Changes that a second administrator decides before they apply. */
export const changeControl = defineModule({
  name: 'change-control',
  tables: ['change_control', 'change_set', 'change_set_secret'],
  countRules: countControls,
  create({ core: { db, vault, config }, use }) {
    const { tellUsers, controlled, setControl } = use(tickets);
    let applyDue: () => Promise<void> = () => Promise.resolve();
    return {
      service: {},
      attention: changeSetAttention,
      jobs: [createDueJob(() => applyDue())],
      expiry: { rows: 'change sets', like: 'operate_log', remove: (days) => forgetSets(days, db) },
      routes({ http, engines, services: { audit } }) {
        const options = {
          ...{ db, vault, engines, audit, tellUsers },
          settings: {
            ...{ db, audit, settings: use(settings) },
            keepAtLeast: config.keepAtLeast,
          },
          requests: controlled,
          actor: use(identity).current.actor,
        };
        applyDue = () => applyDueSets(options);
        setControl(createRequestControl(options));
        mountChangeControl(http, options);
      },
    };
  },
});
