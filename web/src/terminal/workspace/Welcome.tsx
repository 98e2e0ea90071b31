import { Button, Kbd, VisuallyHidden } from '@mantine/core';
import { parseDatetime, type QuickConnectAsset } from '@sallyport/contract';
import { formatRelative } from '../../kit/format/relative-time.ts';
import { t } from '../../kit/i18n/index.ts';
import { Mark } from '../../kit/page/Mark.tsx';
import { useDigits } from '../../kit/quick-connect/useDigits.ts';
import { useQuickConnect } from '../../kit/quick-connect/useQuickConnect.ts';
import { IconServer, IconStarFilled } from '../icons.ts';
import type { TabAsset } from '../tabs/tabs-state.ts';
import { words as windowWords } from '../words.ts';
import styles from './Welcome.module.css';
import { words } from './words.ts';

const SHOWN_KEYS = [
  { key: 'E', label: words.keySearch },
  { key: 'F', label: words.keyFind },
  { key: '/', label: words.keyHelp },
] as const;

interface WelcomeProps {
  readonly onConnect: (asset: TabAsset) => void;
  readonly onShowPanel: () => void;
}

/** The start page of the window: favorite and recent servers, while no terminal is open. */
export function Welcome({ onConnect, onShowPanel }: WelcomeProps) {
  const { data, isPending } = useQuickConnect();
  const connect = ({ id, hostname, ip }: QuickConnectAsset) => onConnect({ id, hostname, ip });
  useDigits(data, connect);
  const known = data ?? [];
  return (
    <div className={styles.welcome}>
      <Mark size={known.length > 0 ? 40 : 56} />
      <h1>{t(windowWords.welcome)}</h1>
      <p className={styles.wideOnly}>{t(windowWords.welcomeHint)}</p>
      <div className={styles.narrowOnly}>
        <p>{t(windowWords.welcomeHintNarrow)}</p>
        <Button onClick={onShowPanel}>{t(windowWords.chooseAsset)}</Button>
      </div>
      {(isPending || known.length > 0) && (
        <section aria-labelledby="recent-title" className={styles.servers}>
          <h2 id="recent-title">{t(windowWords.yourServers)}</h2>
          <ol>
            {known.map((asset, place) => (
              <li key={asset.id}>
                <Server asset={asset} digit={place + 1} onConnect={() => connect(asset)} />
              </li>
            ))}
          </ol>
        </section>
      )}
      <dl className={styles.keys}>
        {SHOWN_KEYS.map(({ key, label }) => (
          <div key={key}>
            <dt>
              <Kbd>Ctrl</Kbd> <Kbd>Shift</Kbd> <Kbd>{key}</Kbd>
            </dt>
            <dd>{t(label)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** A server as a card: name, address, last use, and the digit that connects to it. */
function Server({
  asset: { hostname, ip, favorite, date_last: last },
  digit,
  onConnect,
}: {
  readonly asset: QuickConnectAsset;
  readonly digit: number;
  readonly onConnect: () => void;
}) {
  const used = last === null ? undefined : parseDatetime(last);
  return (
    <button type="button" aria-keyshortcuts={String(digit)} onClick={onConnect}>
      <IconServer size={18} aria-hidden="true" />
      <span className={styles.names}>
        <span className={styles.name}>
          {hostname}
          {favorite && (
            <>
              {' '}
              <IconStarFilled size={12} aria-hidden="true" />
              <VisuallyHidden>{t(windowWords.favorite)}</VisuallyHidden>
            </>
          )}
        </span>
        <span className={styles.facts}>
          <span className="mono">{ip}</span>
          {used && ` · ${formatRelative(used, new Date())}`}
        </span>
      </span>
      <Kbd size="sm" aria-hidden="true">
        {digit}
      </Kbd>
    </button>
  );
}
