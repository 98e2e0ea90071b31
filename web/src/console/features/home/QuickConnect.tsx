import { Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { QuickConnectAsset } from '@sallyport/contract';
import { useId } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconStarFilled } from '../../../kit/icons.ts';
import { useDigits } from '../../../kit/quick-connect/useDigits.ts';
import { useQuickConnect } from '../../../kit/quick-connect/useQuickConnect.ts';
import { openWindow, terminalAddress, windowLink } from '../../base/addresses.ts';
import styles from './QuickConnect.module.css';
import { words } from './words.ts';

const connect = ({ id }: QuickConnectAsset) => openWindow(terminalAddress(id));

function Asset({ asset, digit }: { readonly asset: QuickConnectAsset; readonly digit: number }) {
  const { hostname, ip, favorite } = asset;
  return (
    <UnstyledButton
      className={styles.asset ?? ''}
      aria-keyshortcuts={String(digit)}
      title={`${hostname} · ${ip}`}
      {...windowLink(terminalAddress(asset.id))}
    >
      <VisuallyHidden>{`${t(words.connectTo, { name: hostname })}, ${ip}${favorite ? `, ${t(words.favoriteMark)}` : ''}`}</VisuallyHidden>
      <Kbd size="sm" aria-hidden="true">
        {digit}
      </Kbd>
      <span className={styles.names} aria-hidden="true">
        <span>{hostname}</span>
        <Text span className="mono" c="dimmed" fz="xs">
          {ip}
        </Text>
      </span>
      {favorite && <IconStarFilled size={12} className={styles.star ?? ''} aria-hidden="true" />}
    </UnstyledButton>
  );
}

/** Favorite and recent assets, each connected by its digit, by Enter or by a click. */
export function QuickConnect() {
  const heading = useId();
  const { data, isError } = useQuickConnect();
  useDigits(data, connect);
  const isEmpty = isError || data?.length === 0;
  return (
    <section className={styles.strip} aria-labelledby={heading}>
      <div className={styles.head}>
        <h2 id={heading}>{t(words.quick)}</h2>
        {data && data.length > 0 && (
          <Text span c="dimmed" fz="xs">
            {t(words.quickHint)}
          </Text>
        )}
      </div>
      {isEmpty ? (
        <div className={styles.empty}>{t(isError ? words.quickFailed : words.quickEmpty)}</div>
      ) : (
        data && (
          <ol className={styles.assets}>
            {data.map((asset, index) => (
              <li key={asset.id}>
                <Asset asset={asset} digit={index + 1} />
              </li>
            ))}
          </ol>
        )
      )}
    </section>
  );
}
