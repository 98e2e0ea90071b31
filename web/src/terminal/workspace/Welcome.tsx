import { Button, Kbd } from '@mantine/core';
import { t } from '../../kit/i18n/index.ts';
import { Mark } from '../../kit/page/Mark.tsx';
import { IconServer } from '../icons.ts';
import type { TabAsset } from '../tabs/tabs-state.ts';
import { words as windowWords } from '../words.ts';
import { recentAssets } from './recent.ts';
import styles from './Workspace.module.css';
import { words } from './words.ts';

const SHOWN_KEYS = [
  { key: 'E', label: words.keySearch },
  { key: 'F', label: words.keyFind },
  { key: '/', label: words.keyHelp },
] as const;

/** First steps, while no terminal is open. */
export function Welcome({
  onConnect,
  onShowPanel,
}: {
  readonly onConnect: (asset: TabAsset) => void;
  readonly onShowPanel: () => void;
}) {
  const recent = recentAssets();
  return (
    <div className={styles.welcome}>
      <Mark size={56} />
      <h1>{t(windowWords.welcome)}</h1>
      <p className={styles.wideOnly}>{t(windowWords.welcomeHint)}</p>
      <div className={styles.narrowOnly}>
        <p>{t(windowWords.welcomeHintNarrow)}</p>
        <Button onClick={onShowPanel}>{t(windowWords.chooseAsset)}</Button>
      </div>
      {recent.length > 0 ? (
        <section aria-labelledby="recent-title" className={styles.recent}>
          <h2 id="recent-title">{t(windowWords.recent)}</h2>
          <ul>
            {recent.map((asset) => (
              <li key={asset.id}>
                <button type="button" onClick={() => onConnect(asset)}>
                  <IconServer size={16} aria-hidden="true" />
                  <span>{asset.hostname}</span>
                  <span className={styles.menuAddress}>{asset.ip}</span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
      <dl className={styles.welcomeKeys}>
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
