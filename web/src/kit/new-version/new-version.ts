import { SERVER_CHANGED } from '../connection/connection.ts';
import { withOverlays } from '../dialogs/overlay-host.tsx';
import { common, t } from '../i18n/index.ts';
import { words } from './words.ts';

const CHECK_EVERY = 10 * 60_000;
/** The offer stays until the user takes or closes it: a day. */
const OFFERED = 24 * 3_600_000;

/** The address of the script that starts a page. It contains a digest of all its files. */
const entryIn = (html: string): string | undefined =>
  /<script type="module"[^>]* src="([^"]+)"/.exec(html)?.[1];

const own = document.querySelector('script[type="module"]')?.getAttribute('src');
let offered: string | undefined;
let checked = 0;

/** Offers a reload once per version, if the server has other files of this page. */
async function check(): Promise<void> {
  checked = Date.now();
  const html = await fetch(location.pathname, { cache: 'no-cache' })
    .then((response) => (response.ok ? response.text() : ''))
    // The next check finds a server that is away.
    .catch(() => '');
  const entry = entryIn(html);
  if (entry === undefined || entry === own || entry === offered) return;
  offered = entry;
  const reload = { label: t(common.reload), run: () => location.reload() };
  withOverlays((overlays) =>
    overlays.showOffers(t(words.newVersion), [reload], { milliseconds: OFFERED }),
  );
}

/** Looks for a new version of the page: after an upgrade of the server, and from time to time. */
export function watchVersion(): void {
  const look = () => {
    if (document.visibilityState === 'visible' && Date.now() - checked >= CHECK_EVERY) void check();
  };
  checked = Date.now();
  // Loads the code of messages now: after an upgrade the server no longer has this file.
  void import('../dialogs/overlays.tsx');
  addEventListener(SERVER_CHANGED, () => void check());
  document.addEventListener('visibilitychange', look);
  setInterval(look, CHECK_EVERY);
}
