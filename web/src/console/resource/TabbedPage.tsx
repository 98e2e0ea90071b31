import { Badge, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatNumber } from '../../kit/format/format.ts';
import { showTab, type TabPlace, useActiveTab } from './detail/useActiveTab.ts';
import { TabRow } from './TabRow.tsx';

interface TabHead {
  /** The value of `activeTab` in the address. */
  readonly name: string;
  readonly label: string;
  /** Rows of the tab; shown after the label unless zero. */
  readonly count?: number | null | undefined;
}

export interface TabSpec extends TabHead {
  /** Earlier values of `activeTab` that open this tab. */
  readonly formerly?: readonly string[];
  readonly render: () => ReactNode;
}

/** A tab with sections. The address names the open section. */
export interface TabGroup extends TabHead {
  readonly sections: readonly TabSpec[];
}

const sectionsOf = (tab: TabSpec | TabGroup): readonly TabSpec[] =>
  'sections' in tab ? tab.sections : [tab];

interface SectionsProps {
  readonly label: string;
  readonly sections: readonly TabSpec[];
  readonly active: string;
  readonly open: (name: string) => void;
}

/** The sections of a tab. The row is hidden for a single section. */
function Sections({ label, sections, active, open }: SectionsProps) {
  const [only] = sections;
  if (only && sections.length === 1) return only.render();
  return (
    <Tabs
      value={active}
      onChange={(name) => name && open(name)}
      keepMounted={false}
      variant="pills"
    >
      <TabRow label={label} pills>
        {sections.map(({ name, label: text }) => (
          <Tabs.Tab key={name} value={name} ref={name === active ? showTab : undefined}>
            {text}
          </Tabs.Tab>
        ))}
      </TabRow>
      {sections.map(({ name, render }) => (
        <Tabs.Panel key={name} value={name}>
          {render()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

interface TabbedPageProps extends TabPlace {
  readonly tabs: readonly (TabSpec | TabGroup)[];
}

/**
 * A page with tabs, some with sections; the address names the open tab or section. The tab row is
 * hidden for a single tab.
 */
export function TabbedPage({ tabs, ...place }: TabbedPageProps) {
  const sections = tabs.flatMap(sectionsOf);
  const [active, open] = useActiveTab(
    sections.map(({ name }) => name),
    {
      ...place,
      renamed: Object.fromEntries(
        sections.flatMap(({ name, formerly = [] }) => formerly.map((old) => [old, name])),
      ),
    },
  );
  const current = tabs.find((tab) => sectionsOf(tab).some(({ name }) => name === active));
  const openTab = (name: string | null) => {
    const tab = tabs.find((one) => one.name === name);
    const [section] = tab ? sectionsOf(tab) : [];
    if (section) open(section.name);
  };
  const panelOf = (tab: TabSpec | TabGroup) => (
    <Sections label={tab.label} sections={sectionsOf(tab)} active={active} open={open} />
  );
  if (tabs.length === 1) return current && panelOf(current);
  return (
    <Tabs value={current?.name ?? null} onChange={openTab} keepMounted={false}>
      <TabRow>
        {tabs.map(({ name, label, count }) => (
          <Tabs.Tab
            key={name}
            value={name}
            ref={name === current?.name ? showTab : undefined}
            rightSection={
              !!count && (
                <Badge size="sm" variant="light" circle={count < 10}>
                  {formatNumber(count)}
                </Badge>
              )
            }
          >
            {label}
          </Tabs.Tab>
        ))}
      </TabRow>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.name} value={tab.name}>
          {panelOf(tab)}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
