import { useMediaQuery } from '@mantine/hooks';

/**
 * Breakpoints for lists: `narrow` next to a tree or on a small screen, `phone` on a phone. Users
 * can still show hidden columns.
 */
export function useBreakpoints(): { readonly narrow: boolean; readonly phone: boolean } {
  const narrow = useMediaQuery('(max-width: 75em)', false, { getInitialValueInEffect: false });
  const phone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  return { narrow, phone };
}
