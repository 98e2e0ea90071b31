import type { Db } from '../../../platform/db/database.ts';
import { partOf, Work } from '../../../platform/db/work.ts';
import { type ConnectionPorts, type PodTerminals, Refusal } from '../../connections/index.ts';
import type { LiveSessions } from '../live-sessions.ts';
import { readPodCommand } from '../pod-command.ts';
import { decideRequest, textOf } from '../relay-request.ts';
import { identityBy } from '../upgrades.ts';
import { meaningOf } from './read-cluster.ts';
import { beginVisit } from './visits.ts';

/** Interval in which a terminal keeps the session around it open. */
const ACTIVE_MS = 30_000;

/**
 * Decides on web terminals at pods as on `kubectl exec`: the session of the sign-in at the cluster
 * logs them, and they end with it.
 */
export const createPodTerminals = (options: {
  readonly db: Db;
  readonly sessions: LiveSessions;
  readonly access: Pick<ConnectionPorts['access'], 'check'>;
}): PodTerminals => ({
  async prepare(person, target, pod) {
    const { userId, loginId, language, remoteAddr } = person;
    if (loginId === undefined) throw new Refusal('connect_denied');
    // The browser names any cluster: only a granted one may leave a row.
    await options.access.check(person, target.clusterId, target.systemUserId, 'cluster');
    const { namespace, name, container, shell } = pod;
    const wish = {
      ...target,
      person: { userId, loginId, language },
      remoteAddr: remoteAddr ?? '',
    };
    const visit = await partOf(new Work(), () => beginVisit(options, wish));
    const { session } = visit;
    const meaning = meaningOf(
      {
        group: '',
        namespace,
        resource: 'pods',
        name,
        subresource: 'exec',
        query: { container, command: shell, stdin: 'true', stdout: 'true', tty: 'true' },
      },
      'websocket',
    );
    const request = { ...visit, meaning };
    await decideRequest(request);
    return {
      path: meaning.target,
      ...readPodCommand(meaning),
      identify: (rules) => identityBy(request, rules),
      onSession: (id) => session.log({ text: textOf(request), outcome: `session ${id}` }),
      isOver: session.ended,
      keepUntil(ended) {
        const timer = setInterval(() => session.passed(), ACTIVE_MS);
        void ended.finally(() => clearInterval(timer));
      },
    };
  },
});
