import { defineModule } from '../../module.ts';
import { settings } from '../settings/index.ts';
import { createMailer } from './mailer.ts';
import { mountMailTest } from './routes.ts';

export { type Mailer, mailAccountOf } from './mailer.ts';

/** Sends mail by the settings in force. */
export const mail = defineModule({
  name: 'mail',
  tables: [],
  create({ use }) {
    const inForce = use(settings);
    return {
      service: createMailer(inForce),
      routes: ({ http }) => mountMailTest(http, inForce),
    };
  },
});
