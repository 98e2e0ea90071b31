import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useActiveTab } from './detail/useActiveTab.ts';
import { TabRow } from './TabRow.tsx';

export interface TabSpec {
  /** The value of `activeTab` in the address. */
  readonly name: string;
  readonly label: string;
  readonly render: () => ReactNode;
}

const showTab = (tab: HTMLElement | null) =>
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** A page with tabs; the address names the open tab. The tab row is hidden for a single tab. */
export function TabbedPage({ tabs }: { readonly tabs: readonly TabSpec[] }) {
  const [active, open] = useActiveTab(tabs.map(({ name }) => name));
  const current = tabs.find(({ name }) => name === active);
  if (tabs.length === 1) return current?.render();
  return (
    <Tabs value={active} onChange={(name) => name && open(name)} keepMounted={false}>
      <TabRow>
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name} ref={name === active ? showTab : undefined}>
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
