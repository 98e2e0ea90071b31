import type { ErrorCode } from '@sallyport/contract';
import type { TargetEnd } from '../protocols/target-end.ts';

/** Session end reason by the way its target ended. */
export const TARGET_ENDS = {
  closed: 'connect_target_closed',
  lost: 'connect_target_lost',
  flooded: 'connect_target_flooded',
} as const satisfies Record<TargetEnd, ErrorCode>;
