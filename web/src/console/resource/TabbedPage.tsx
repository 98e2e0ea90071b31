import { Badge, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useActiveTab } from './detail/useActiveTab.ts';
import { TabRow } from './TabRow.tsx';

export interface TabSpec {
  /** The value of `activeTab` in the address. */
  readonly name: string;
  readonly label: string;
  /** Objects of the tab that wait for the user; shown after the label. */
  readonly count?: number | undefined;
  readonly render: () => ReactNode;
}

const showTab = (tab: HTMLElement | null) =>
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

interface TabbedPageProps {
  readonly tabs: readonly TabSpec[];
  /** The tab that opens where the address names none; by default the one opened last. */
  readonly first?: string | undefined;
}

/** A page with tabs; the address names the open tab. The tab row is hidden for a single tab. */
export function TabbedPage({ tabs, first }: TabbedPageProps) {
  const [active, open] = useActiveTab(
    tabs.map(({ name }) => name),
    first,
  );
  const current = tabs.find(({ name }) => name === active);
  if (tabs.length === 1) return current?.render();
  return (
    <Tabs value={active} onChange={(name) => name && open(name)} keepMounted={false}>
      <TabRow>
        {tabs.map(({ name, label, count = 0 }) => (
          <Tabs.Tab
            key={name}
            value={name}
            ref={name === active ? showTab : undefined}
            rightSection={
              count > 0 && (
                <Badge size="sm" circle={count < 10}>
                  {count}
                </Badge>
              )
            }
          >
            {label}
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
