import { Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { QuickConnectAsset } from '@sallyport/contract';
import { useEffect, useEffectEvent, useId } from 'react';
import { isComposing } from '../../../kit/composing.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconStarFilled } from '../../../kit/icons.ts';
import { openWindow, terminalAddress, windowLink } from '../../base/addresses.ts';
import { useQuickConnect } from '../../base/useFavorites.ts';
import styles from './QuickConnect.module.css';
import { words } from './words.ts';

/** Elements in which a digit is text or selects an entry by its name. */
const TAKES_DIGITS =
  'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="tree"], [role="listbox"], [role="menu"], [role="combobox"], [role="slider"]';

/**
 * Returns the digit from 1 to 9 of a key event. Returns undefined if a field or a list of choices
 * takes the digit, or if a dialog is open.
 */
function digitPressed(event: KeyboardEvent): number | undefined {
  if (
    !/^[1-9]$/.test(event.key) ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.shiftKey
  )
    return undefined;
  if (event.defaultPrevented || event.repeat || isComposing(event)) return undefined;
  if (event.target instanceof Element && event.target.closest(TAKES_DIGITS)) return undefined;
  return document.querySelector('[role="dialog"], dialog[open], [role="menu"]')
    ? undefined
    : Number(event.key);
}

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
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const digit = digitPressed(event);
    const asset = digit === undefined ? undefined : data?.[digit - 1];
    if (!asset) return;
    event.preventDefault();
    connect(asset);
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
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
