import { defineModule } from '../../module.ts';
import { createAddressPolicy } from '../../platform/address-policy.ts';
import { defineHousekeeping } from '../../platform/jobs/definition.ts';
import { servers } from '../servers/index.ts';
import { settings } from '../settings/index.ts';
import { eventReceiverHooks } from './hooks.ts';
import { type Pump, startPump } from './pump.ts';
import { mountReceiverTest } from './routes.ts';
import { createSender } from './send.ts';
import { dropPendingEvents, trim } from './store.ts';

/**
 * Sends audit entries and session events to syslog servers and webhooks, in order and at least
 * once.
 */
export const events = defineModule({
  name: 'events',
  tables: ['event_receiver', 'event_receiver_organizations', 'event', 'event_delivery'],
  dropAfterRestore: dropPendingEvents,
  create({ core: { db, bus, config, vault, log, stopping }, use }) {
    const inForce = use(settings);
    const allowsPlain = () => inForce.get('SECURITY_PLAIN_EVENT_RECEIVERS');
    const policy = createAddressPolicy(config.targetNetworks, () => [
      config.httpPort,
      config.sshPort,
    ]);
    const send = createSender({ vault, policy, allowsPlain, stopping });
    let pump: Pump | undefined;
    bus.subscribe(
      'events',
      () => pump?.wake(),
      () => pump?.wake(),
    );
    return {
      service: {},
      hooks: { event_receiver: eventReceiverHooks(allowsPlain) },
      routes: ({ http, engines }) => mountReceiverTest(http, { db, engines, send }),
      jobs: [
        defineHousekeeping({
          name: 'trim-events',
          title: { en: 'Remove delivered events', zh: '清理已发送的事件' },
          everyMinutes: 5,
          run: async () => void (await trim(db)),
        }),
      ],
      async start() {
        pump = await startPump({ db, holder: use(servers).id, send, log, stopping });
      },
      stop: () => pump?.stop(),
    };
  },
});
