import { toast } from '../../kit/toast.tsx';

/** Whether something can be done: yes, no, or no for a reason that is shown. */
export type Verdict = boolean | string;

/**
 * What a verdict makes of a button. With a reason the button keeps its place in the order of the keyboard: the reason is its description, and pressing it
 * shows the reason, because a touch screen has no other way to show it.
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
