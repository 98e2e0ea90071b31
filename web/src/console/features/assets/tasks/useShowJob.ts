import { useGo } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';

const PAGES = pagesOf('job');

/** Opens the page of the job in a server response. */
export function useShowJob(): (answer: { readonly task: string }) => Promise<void> {
  const go = useGo();
  return async ({ task }) => void (await go(PAGES.detail(task)));
}
