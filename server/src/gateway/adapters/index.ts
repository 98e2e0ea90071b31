import type { Server } from 'node:http';
import { assets } from '../../features/assets/index.ts';
import { filters } from '../../features/filters/index.ts';
import { identity } from '../../features/identity/index.ts';
import { perms } from '../../features/perms/index.ts';
import { settings } from '../../features/settings/index.ts';
import { defineModule } from '../../module.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Logger } from '../../platform/log.ts';
import { createAddressPolicy } from '../address-policy.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { DISK_CHECK_MS, RECORDING_BURST } from '../limits.ts';
import { createAccess, createCredentials, createRoute } from './access.ts';
import { createGuard } from './guard.ts';
import { createSessionStore } from './session-store.ts';
import { mountGateway } from './sockets.ts';

const MEBIBYTE = 1024 * 1024;
/** How long a target may take to answer. */
const CONNECT_SECONDS = 15;
/** Many changes at once check the live sessions once. */
const RECHECK_DELAY_MILLISECONDS = 200;
/** Also without a change: an account may be disabled by hand in the database, a clock may be set. */
const RECHECK_EVERY_MILLISECONDS = 30_000;

/** The gateway, joined to the features through its ports. */
export const gateway = defineModule({
  name: 'gateway',
  tables: [],
  async create({ core: { db, vault, bus, config, log, recordings }, use }) {
    const inForce = use(settings);
    const limits = () => ({
      idleMinutes: inForce.get('SECURITY_MAX_IDLE_TIME'),
      maximumHours: inForce.get('SECURITY_MAX_SESSION_TIME'),
      connectSeconds: CONNECT_SECONDS,
      sessionsPerPerson: inForce.get('SECURITY_MAX_SESSIONS'),
      recordingBytes: inForce.get('TERMINAL_RECORDING_MAX_SIZE') * MEBIBYTE,
      recordingBytesPerSecond: inForce.get('TERMINAL_RECORDING_MAX_RATE') * MEBIBYTE,
      recordingBurstBytes: RECORDING_BURST,
      diskReserveBytes: inForce.get('TERMINAL_RECORDING_DISK_RESERVE') * MEBIBYTE,
    });
    let http: Server | undefined;
    const service = createGateway({
      recordings,
      ports: {
        sessions: createSessionStore({ db, config }),
        access: createAccess(db, use(perms), use(identity).current),
        credentials: createCredentials(db, vault),
        route: createRoute(db, vault),
        hostKeys: use(assets).hostKeys,
        addresses: createAddressPolicy(config.targetNetworks, () => ownPorts(http)),
        limits: { read: async () => limits() },
        guard: createGuard(use(filters).rules),
        disk: { freeBytes: () => recordings.freeBytes() },
        log,
      },
    });
    await service.recover();
    listenToBus(bus, service, log);
    inForce.onReload(() => service.hub.setLimits(limits()));
    return {
      service,
      routes: (site) => {
        http = site.http.server;
        mountGateway(site.http, service, site.engines);
      },
      timers: [
        { everyMilliseconds: DISK_CHECK_MS, run: () => service.checkDisk() },
        { everyMilliseconds: RECHECK_EVERY_MILLISECONDS, run: () => service.hub.recheck() },
      ],
      drain: () => service.drain(),
    };
  },
});

function ownPorts(http: Server | undefined): readonly number[] {
  const address = http?.address();
  return typeof address === 'object' && address ? [address.port] : [];
}

function listenToBus(bus: Bus, { hub }: Gateway, log: Logger): void {
  let pending: NodeJS.Timeout | undefined;
  const recheck = () => {
    if (pending) return;
    pending = setTimeout(() => {
      pending = undefined;
      hub.recheck().catch((error: unknown) => log.error({ error: String(error) }, 'the live sessions could not be checked'));
    }, RECHECK_DELAY_MILLISECONDS);
  };
  bus.subscribe('grants', recheck, recheck);
  bus.subscribe('standing', recheck, recheck);
  bus.subscribe('signed_out', (sessionId) => hub.signOut(sessionId));
  bus.subscribe('terminate', (payload) => {
    const { id, who, why } = JSON.parse(payload) as { id: string; who: string; why: string };
    hub.terminate(id, who, why);
  });
}
