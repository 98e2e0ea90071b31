import { useMediaQuery } from '@mantine/hooks';

/** How little room a list has: `cramped` beside a tree or on a small screen, `tiny` on a phone. What does not fit then is there for the asking. */
export function useRoom(): { readonly cramped: boolean; readonly tiny: boolean } {
  const cramped = useMediaQuery('(max-width: 75em)', false, { getInitialValueInEffect: false });
  const tiny = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  return { cramped, tiny };
}
