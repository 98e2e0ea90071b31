import { readdirSync, readFileSync } from 'node:fs';

/** Descriptors that stay free for the console, the database and files of running sessions. */
const RESERVE = 64;
/** Part of a small limit that is the reserve. */
const RESERVE_PART = 1 / 8;
/** Descriptors that one session may open before the next count. */
const MOST_PER_SESSION = 8;
const KEPT_MILLISECONDS = 1_000;

/** Descriptors of a process, and its soft limit. */
export interface Descriptors {
  readonly used: number;
  readonly limit: number;
}

/** Returns the soft limit of open files of a process; undefined without /proc. */
export function openFilesLimit(pid = 'self'): number | undefined {
  try {
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch (error) {
    return hasNoneLeft(error) ? 0 : undefined;
  }
}

const hasNoneLeft = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');

function countDescriptors(): Descriptors | undefined {
  const limit = openFilesLimit();
  if (limit === undefined) return undefined;
  try {
    return { used: readdirSync('/proc/self/fd').length, limit };
  } catch (error) {
    return hasNoneLeft(error) ? { used: limit, limit } : undefined;
  }
}

/**
 * Returns a function that is true while fewer descriptors are free than the reserve. A count takes
 * as long as there are descriptors, so it counts again after a second, or after as many calls as
 * sessions could have used the free ones.
 */
export function watchDescriptors(
  count: () => Descriptors | undefined = countDescriptors,
): () => boolean {
  let until = 0;
  let sessionsLeft = 0;
  return () => {
    if (sessionsLeft-- > 0 && performance.now() < until) return false;
    const counted = count();
    if (!counted) return false;
    const free = counted.limit - counted.used;
    const spare = free - Math.min(RESERVE, Math.floor(counted.limit * RESERVE_PART));
    until = performance.now() + KEPT_MILLISECONDS;
    sessionsLeft = Math.floor(spare / MOST_PER_SESSION);
    return spare < 0;
  };
}

/** Returns true while this process has too few free descriptors for another session. */
export const lacksDescriptors = watchDescriptors();
