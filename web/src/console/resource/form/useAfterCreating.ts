import { allows, assetPermission } from '@sallyport/contract';
import { withOverlays } from '../../../kit/dialogs/overlay-host.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { useGo } from '../../base/navigation.tsx';
import { displayOf, findSummary, pagesOf } from '../../base/resources.ts';
import { screenOf } from '../../base/screen.ts';
import { useSession } from '../../base/session.tsx';
import { words as listWords } from '../list/words.ts';
import type { Source } from '../source.ts';
import { LIKE } from './copied.ts';
import { words } from './words.ts';

/** Parameters of the permission form that preset its values, by resource. */
const GRANTED: Readonly<Record<string, string>> = {
  asset: 'asset',
  user: 'user',
  system_user: 'system_user',
};

const MILLISECONDS = 6_000;

interface Created {
  readonly id: string;
}

const isCreated = (saved: unknown): saved is Created =>
  typeof saved === 'object' && saved !== null && 'id' in saved && typeof saved.id === 'string';

/**
 * Returns a callback that announces a created object and offers the usual next steps: open it,
 * grant access, add another.
 */
export function useAfterCreating(source: Source): (saved: unknown) => void {
  const go = useGo();
  const { screens, role } = useSession();
  return (saved) => {
    const summary = findSummary(source.name);
    if (!summary || !isCreated(saved)) return;
    const pages = pagesOf(source.name);
    const detail = pages.detail(saved.id);
    const granted = GRANTED[source.name];
    const { create } = assetPermission.access;
    const mayGrant = granted !== undefined && create !== undefined && allows(role.current, create);
    const offers = [
      ...(screenOf(screens, detail)
        ? [{ label: t(words.openIt), run: () => void go(detail) }]
        : []),
      ...(mayGrant
        ? [
            {
              label: t(words.grantAccess),
              run: () =>
                void go(pagesOf(assetPermission.name).create, { search: { [granted]: saved.id } }),
            },
          ]
        : []),
      source.copyWithout
        ? {
            label: t(listWords.createLike),
            run: () => void go(pages.create, { search: { [LIKE]: saved.id } }),
          }
        : { label: t(words.addAnother), run: () => void go(pages.create) },
    ];
    withOverlays((overlays) =>
      overlays.showOffers(t(common.createSuccess), offers, {
        detail: displayOf(summary)(saved),
        milliseconds: MILLISECONDS,
      }),
    );
  };
}
