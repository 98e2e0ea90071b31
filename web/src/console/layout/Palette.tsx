import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { GrantedAsset, Page } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { api } from '../../kit/api.ts';
import { t } from '../../kit/i18n/index.ts';
import { IconHistory, IconSearch, IconServer2, IconTerminal2 } from '../../kit/icons.ts';
import { openWindow, terminalAddress } from '../base/addresses.ts';
import { useGoAddress, useLoadAhead } from '../base/navigation.tsx';
import { isFound } from '../base/screen.ts';
import { useSession } from '../base/session.tsx';
import { currentTabs } from '../base/tabs/store.ts';
import { titleOf } from '../base/tabs/title.ts';
import { words } from '../base/words.ts';
import styles from './Palette.module.css';

interface Option {
  readonly key: string;
  readonly group: string;
  readonly label: string;
  readonly note?: string;
  readonly icon: ReactNode;
  readonly run: () => void;
  /** The page that it opens. */
  readonly address?: string;
}

const ASSETS = 8;
const RECENT = 5;

function useOptions(query: string): Option[] {
  const { screens } = useSession();
  const goAddress = useGoAddress();
  const [settled] = useDebouncedValue(query.trim(), 150);
  const assets = useQuery({
    queryKey: ['palette', settled],
    queryFn: ({ signal }) => api.get<Page<GrantedAsset>>('perms/users/assets/', { query: { limit: ASSETS, search: settled }, signal, quiet: true }),
  });
  const wanted = query.trim().toLowerCase();
  const fits = (...texts: string[]) => !wanted || texts.some((text) => text.toLowerCase().includes(wanted));
  const recent = wanted ? [] : currentTabs().slice(-RECENT).reverse();
  return [
    ...recent.map((tab) => ({
      key: `recent-${tab.path}`,
      group: t(words.recent),
      label: titleOf(screens, tab),
      icon: <IconHistory size={16} />,
      run: () => void goAddress(tab.address),
      address: tab.address,
    })),
    ...screens
      .filter((screen) => isFound(screen, wanted !== '') && fits(screen.title.zh, screen.title.en))
      .map((screen) => ({
        key: screen.name,
        group: t(words.palettePages),
        label: t(screen.title),
        icon: <IconSearch size={16} />,
        run: () => (screen.opens ? openWindow(screen.opens()) : void goAddress(screen.path)),
        ...(!screen.opens && { address: screen.path }),
      })),
    ...(assets.data?.results ?? []).map((asset) => ({
      key: asset.id,
      group: t(words.paletteAssets),
      label: asset.hostname,
      note: asset.ip,
      icon: <IconServer2 size={16} />,
      run: () => openWindow(terminalAddress(asset.id)),
    })),
  ];
}

/** The palette: pages, recent ones, and the person's assets to connect to, from anywhere, by typing. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const options = useOptions(query);
  const selected = Math.min(at, options.length - 1);
  const loadAhead = useLoadAhead();
  const address = options[selected]?.address;
  // Enter or a click goes there next.
  useEffect(() => {
    if (address) loadAhead(address);
  }, [address, loadAhead]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query starts at the top again
  useEffect(() => setAt(0), [query]);

  function run(option: Option | undefined) {
    if (!option) return;
    onClose();
    option.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter') run(options[selected]);
    else if (event.key === 'ArrowDown') setAt(Math.min(selected + 1, options.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(selected - 1, 0));
    else return;
    event.preventDefault();
  }

  return (
    <Modal.Root opened onClose={onClose} size={560}>
      <Modal.Overlay />
      <Modal.Content aria-label={t(words.palette)}>
        <Modal.Body p={0}>
          <TextInput
            data-autofocus
            size="md"
            variant="unstyled"
            px="md"
            className={styles.input}
            aria-label={t(words.palette)}
            placeholder={t(words.palette)}
            leftSection={<IconSearch size={18} />}
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-options"
            {...(options[selected] && { 'aria-activedescendant': `palette-${options[selected].key}` })}
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <div className={styles.list} id="palette-options" role="listbox" aria-label={t(words.palette)}>
            {options.length === 0 && <div className={styles.label}>{t(words.paletteNothing)}</div>}
            {options.map((option, index) => (
              <div key={option.key} role="presentation">
                {option.group !== options[index - 1]?.group && (
                  <div className={styles.label} role="presentation">
                    {option.group}
                  </div>
                )}
                <div
                  id={`palette-${option.key}`}
                  className={styles.option}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === selected}
                  ref={index === selected ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
                  onMouseMove={() => setAt(index)}
                  onClick={() => run(option)}
                  onKeyDown={onKeyDown}
                >
                  {option.icon}
                  {option.label}
                  <span className={`${styles.note} mono`}>{option.note}</span>
                  {option.group === t(words.paletteAssets) && <IconTerminal2 size={14} />}
                </div>
              </div>
            ))}
          </div>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
