import type { NewSession } from '../../ports/records.ts';
import type { DesktopProblem } from '../../protocols/target-desktop.ts';
import { isTargetEnd, TARGET_ENDS, type TargetEnd } from '../../protocols/target-end.ts';
import { Refusal } from '../../refusal.ts';

/** A desktop session whose target has ended, and the live sessions, oldest first. */
interface EndedDesktop {
  readonly row: NewSession;
  readonly isBlank: boolean;
  /** The code of the target, if `how` names it. */
  readonly detail?: string | undefined;
  readonly live: readonly NewSession[];
}

/**
 * Returns the reason of an end. Many RDP servers have one desktop for an account and give it to the
 * newest connection, and servers that need graphics which we lack send no picture.
 */
export function endOfTarget(
  how: TargetEnd | DesktopProblem,
  { row, isBlank, live, detail = '' }: EndedDesktop,
): Refusal {
  const { asset, systemUser } = row.grant;
  const host = `${asset.ip}:${asset.port}`;
  const isPlain = how === 'closed' || how === 'lost';
  if (isPlain && systemUser.protocol === 'rdp') {
    const newer = live.slice(1 + live.findIndex(({ id }) => id === row.id));
    const isTaken = newer.some(
      ({ account, grant }) =>
        account === row.account &&
        grant.systemUser.protocol === 'rdp' &&
        grant.asset.id === asset.id,
    );
    if (isTaken) return new Refusal('connect_desktop_taken');
    if (isBlank) return new Refusal('connect_rdp_no_bitmaps', { host });
  }
  if (how === 'connect_rdp_no_bitmaps') return new Refusal(how, { host });
  if (how === 'connect_desktop_code') return new Refusal(how, { code: detail });
  return new Refusal(isTargetEnd(how) ? TARGET_ENDS[how] : how);
}
