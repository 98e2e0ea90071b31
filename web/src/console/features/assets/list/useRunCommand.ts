import { useGo } from '../../../base/navigation.tsx';
import { useSession } from '../../../base/session.tsx';
import { nameSet } from '../../../resource/useChosen.ts';

const PATH = '/ops/command-executions/create';

/** Opens the batch command with these assets; undefined if the user may not open it. */
export function useRunCommand(): ((assets: readonly string[]) => Promise<void>) | undefined {
  const go = useGo();
  const { screens } = useSession();
  if (!screens.some(({ path }) => path === PATH)) return undefined;
  return async (assets) => {
    const spm = await nameSet(assets);
    await go(PATH, { search: { spm, chosen: String(assets.length) } });
  };
}
