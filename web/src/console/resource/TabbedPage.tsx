import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from '../../kit/format.ts';
import { type TabPlace, useActiveTab } from './detail/useActiveTab.ts';
import styles from './TabbedPage.module.css';
import { TabRow } from './TabRow.tsx';

export interface TabSpec {
  /** The value of `activeTab` in the address. */
  readonly name: string;
  readonly label: string;
  /** The number of rows behind the tab. */
  readonly count?: number | null | undefined;
  readonly render: () => ReactNode;
}

const showTab = (tab: HTMLElement | null) =>
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

interface TabbedPageProps extends TabPlace {
  readonly tabs: readonly TabSpec[];
}

/** A page with tabs; the address names the open tab. The tab row is hidden for a single tab. */
export function TabbedPage({ tabs, ...place }: TabbedPageProps) {
  const [active, open] = useActiveTab(
    tabs.map(({ name }) => name),
    place,
  );
  const current = tabs.find(({ name }) => name === active);
  if (tabs.length === 1) return current?.render();
  return (
    <Tabs value={active} onChange={(name) => name && open(name)} keepMounted={false}>
      <TabRow>
        {tabs.map(({ name, label, count }) => (
          <Tabs.Tab key={name} value={name} ref={name === active ? showTab : undefined}>
            {label}
            {typeof count === 'number' && (
              <>
                {' '}
                <span className={styles.count}>{formatNumber(count)}</span>
              </>
            )}
          </Tabs.Tab>
        ))}
      </TabRow>
      {tabs.map(({ name, render }) => (
        <Tabs.Panel key={name} value={name}>
          {render()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
