import type { ClusterSession } from '../../connections/index.ts';
import type { LiveToken } from '../tokens.ts';

/** A page that looks at a cluster, with its session. */
export interface LiveVisit {
  readonly token: LiveToken;
  readonly session: ClusterSession;
}
