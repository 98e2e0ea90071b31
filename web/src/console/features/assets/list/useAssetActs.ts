import { api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { useGo } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { screenOf } from '../../../base/screen.ts';
import { useSession } from '../../../base/session.tsx';
import { useShowJob } from '../../../resource/job/useShowJob.ts';
import type { RowAction } from '../../../resource/list/table/RowActions.tsx';
import { nameSet } from '../../../resource/source.ts';
import { words } from './words.ts';

const BATCH = '/ops/command-executions/create';

/** Returns the work to start on the selected assets: grant, run a command, test, rotate. */
export function useAssetActs(): (assets: readonly string[]) => readonly RowAction[] {
  const go = useGo();
  const { screens } = useSession();
  const showJob = useShowJob();
  // The request layer has reported a failure to the user.
  const quietly = (work: Promise<unknown>) => void work.catch(() => undefined);
  return (assets) => {
    const opening = (key: string, path: string, label: string): readonly RowAction[] => {
      const open = async () => {
        const spm = await nameSet(assets);
        await go(path, { search: { spm, chosen: String(assets.length) } });
      };
      return screenOf(screens, path) ? [{ key, label, run: () => quietly(open()) }] : [];
    };
    const test = async () =>
      showJob(await api.post('assets/assets/tasks/', { action: 'test', assets }));
    return [
      ...opening('grant', pagesOf('asset_permission').create, t(words.grant)),
      ...opening('command', BATCH, t(words.runCommand)),
      { key: 'test', label: t(words.test), run: () => quietly(test()) },
      ...opening('rotate', pagesOf('change_auth_plan').create, t(words.rotate)),
    ];
  };
}
