import { Tabs, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { LocalText } from '@sallyport/contract';
import { Fragment, useState } from 'react';
import { isEnter } from '../../../kit/composing.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconSearch } from '../../../kit/icons.ts';
import { showTab, useActiveTab } from '../../resource/detail/useActiveTab.ts';
import type { TabSpec } from '../../resource/TabbedPage.tsx';
import { TabRow } from '../../resource/TabRow.tsx';
import styles from './Settings.module.css';
import { words } from './words.ts';

/** A topic of the settings, with the labels of its fields for the search. */
export interface Topic extends TabSpec {
  readonly group: LocalText;
  readonly terms: readonly string[];
}

/**
 * The topics of the settings: a rail with groups and a search, and a row of tabs on a phone. The
 * address names the open topic.
 */
export function SettingsRail({ topics }: { readonly topics: readonly Topic[] }) {
  const [active, open] = useActiveTab(topics.map(({ name }) => name));
  const [search, setSearch] = useState('');
  const isPhone = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const term = search.trim().toLocaleLowerCase();
  const contains = (text: string) => text.toLocaleLowerCase().includes(term);
  const matching = topics.filter(({ label, terms }) => contains(label) || terms.some(contains));
  /** The first field that the search found; none where the topic itself was found. */
  const matchOf = ({ label, terms }: Topic) =>
    term === '' || contains(label) ? undefined : terms.find(contains);
  const tab = (topic: Topic) => {
    const match = isPhone ? undefined : matchOf(topic);
    return (
      <Tabs.Tab
        key={topic.name}
        value={topic.name}
        aria-label={topic.label}
        ref={isPhone && topic.name === active ? showTab : undefined}
      >
        {topic.label}
        {match && (
          <Text span display="block" fz="xs" c="dimmed">
            {match}
          </Text>
        )}
      </Tabs.Tab>
    );
  };
  const groups = [...new Set(matching.map(({ group }) => group))];
  return (
    <Tabs
      className={styles.settings ?? ''}
      value={active}
      onChange={(name) => name && open(name)}
      keepMounted={false}
      orientation={isPhone ? 'horizontal' : 'vertical'}
      variant={isPhone ? 'default' : 'pills'}
    >
      <div className={styles.rail}>
        <TextInput
          type="search"
          aria-label={t(words.findSetting)}
          placeholder={t(words.findSetting)}
          leftSection={<IconSearch size={16} aria-hidden="true" />}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          onKeyDown={(event) => {
            if (isEnter(event) && matching[0]) open(matching[0].name);
          }}
        />
        {matching.length === 0 && (
          <Text role="status" fz="sm" c="dimmed" p="xs">
            {t(words.noSetting)}
          </Text>
        )}
        {isPhone ? (
          <TabRow>{matching.map(tab)}</TabRow>
        ) : (
          <Tabs.List className={styles.topics ?? ''} aria-label={t(words.topics)}>
            {groups.map((group) => (
              <Fragment key={group.en}>
                <span className={styles.topicGroup} aria-hidden="true">
                  {t(group)}
                </span>
                {matching.filter((topic) => topic.group === group).map(tab)}
              </Fragment>
            ))}
          </Tabs.List>
        )}
      </div>
      {topics.map(({ name, render }) => (
        <Tabs.Panel key={name} value={name} className={styles.panel ?? ''}>
          {render()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
