import { toast } from '../../kit/dialogs/toast.tsx';

/** True if allowed, false if not, or the reason why not. */
export type Verdict = boolean | string;

/**
 * Returns button props for a verdict. With a reason the button stays focusable and a press shows
 * the reason, because a touch screen has no hover.
 */
export function byVerdict(verdict: Verdict, run: () => void) {
  if (typeof verdict === 'boolean') return { disabled: !verdict, onClick: run } as const;
  return {
    'aria-disabled': true,
    'data-disabled': true,
    title: verdict,
    onClick: () => toast.info(verdict),
  } as const;
}
