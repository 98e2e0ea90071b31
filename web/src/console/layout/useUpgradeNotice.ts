import { useEffect, useEffectEvent } from 'react';
import { withOverlays } from '../../kit/dialogs/overlay-host.tsx';
import { t } from '../../kit/i18n/index.ts';
import { HELP } from '../base/addresses.ts';
import { useGo } from '../base/navigation.tsx';
import { useSession } from '../base/session.tsx';
import { words } from '../base/words.ts';
import { VERSION_KEY } from './version-key.ts';

/** Tells once per browser that the server runs another version than before; leads to the news. */
export function useUpgradeNotice(isSettled: boolean): void {
  const { PRODUCT_VERSION: version } = useSession().settings;
  const go = useGo();
  const tell = useEffectEvent(() => {
    const show = () => void go(HELP.docs, { search: { guide: 'news' } });
    const offer = { label: t(words.whatsNew), run: show };
    withOverlays((overlays) => overlays.showOffers(t(words.upgraded, { version }), [offer]));
  });
  useEffect(() => {
    if (!isSettled) return;
    const before = localStorage.getItem(VERSION_KEY);
    if (before === version) return;
    localStorage.setItem(VERSION_KEY, version);
    // A browser that has shown no version yet has nothing to compare with.
    if (before !== null) tell();
  }, [isSettled, version]);
}
