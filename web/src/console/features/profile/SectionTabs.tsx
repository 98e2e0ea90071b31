import { Tabs } from '@mantine/core';
import { useActiveTab } from '../../resource/detail/useActiveTab.ts';
import type { TabSpec } from '../../resource/TabbedPage.tsx';
import { TabRow } from '../../resource/TabRow.tsx';

/** The sections of one tab. */
export interface SectionGroup {
  readonly name: string;
  readonly label: string;
  readonly sections: readonly TabSpec[];
}

/**
 * A page with tabs of sections. The address holds the open section, so a link to a section opens
 * its tab too.
 */
export function SectionTabs({ groups }: { readonly groups: readonly SectionGroup[] }) {
  const [active, open] = useActiveTab(
    groups.flatMap(({ sections }) => sections.map(({ name }) => name)),
  );
  const current = groups.find(({ sections }) => sections.some(({ name }) => name === active));
  const openGroup = (name: string | null) => {
    const [first] = groups.find((group) => group.name === name)?.sections ?? [];
    if (first) open(first.name);
  };
  return (
    <Tabs value={current?.name ?? null} onChange={openGroup} keepMounted={false}>
      <TabRow>
        {groups.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </TabRow>
      {groups.map(({ name, label, sections }) => (
        <Tabs.Panel key={name} value={name}>
          {sections.length === 1 ? (
            sections[0]?.render()
          ) : (
            <Tabs
              value={active}
              onChange={(section) => section && open(section)}
              keepMounted={false}
              variant="pills"
            >
              <Tabs.List mb="md" aria-label={label}>
                {sections.map((section) => (
                  <Tabs.Tab key={section.name} value={section.name}>
                    {section.label}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              {sections.map((section) => (
                <Tabs.Panel key={section.name} value={section.name}>
                  {section.render()}
                </Tabs.Panel>
              ))}
            </Tabs>
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
