import { ActionIcon, Group, Input, Text, UnstyledButton } from '@mantine/core';
import { Fragment, type KeyboardEvent } from 'react';
import { isEnter } from '../../../kit/composing.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconChevronDown, IconChevronLeft, IconChevronRight } from '../../../kit/icons.ts';
import styles from './List.module.css';
import { pagerPages } from './list-state.ts';
import { words } from './words.ts';

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly size: number;
  readonly sizes: readonly number[];
  readonly count: number;
  /** True before the first rows: a pager without a total would move with them. */
  readonly isHidden?: boolean;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
}

/**
 * The total, the page size, buttons of five pages at most, and a field for other pages.
 */
export function Pager(props: PagerProps) {
  const { page, pages, size, sizes, count, isHidden = false, onPage, onSize } = props;
  const numbers = pagerPages(page, pages);
  const button = (one: number) => (
    <UnstyledButton
      className={`${styles.page} mono`}
      aria-label={t(words.page, { page: one })}
      {...(one === page && { 'aria-current': 'page' as const })}
      onClick={() => onPage(one)}
    >
      {one}
    </UnstyledButton>
  );
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const target = Math.trunc(Number(event.currentTarget.value));
    if (!isEnter(event) || !(target >= 1)) return;
    event.currentTarget.value = '';
    onPage(Math.min(target, pages));
  }
  return (
    <Group
      justify="space-between"
      gap="sm"
      className={styles.pager}
      style={isHidden ? { visibility: 'hidden' } : undefined}
    >
      <Group gap="sm">
        <Text c="dimmed" fz="sm" aria-live="polite">
          {t(words.total, { count })}
        </Text>
        {/* NativeSelect would add more code than the whole pager has. */}
        <Input
          component="select"
          pointer
          size="xs"
          rightSection={<IconChevronDown size={14} />}
          aria-label={t(words.pageSize)}
          value={String(size)}
          onChange={(event) => onSize(Number(event.currentTarget.value))}
        >
          {sizes.map((one) => (
            <option key={one} value={one}>
              {t(words.perPage, { size: one })}
            </option>
          ))}
        </Input>
      </Group>
      <nav aria-label={t(words.pagination)} className={styles.pages}>
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
          aria-label={t(words.previous)}
        >
          <IconChevronLeft size={16} />
        </ActionIcon>
        {numbers.map((one, index) => (
          <Fragment key={one}>
            {index > 0 && one > (numbers[index - 1] ?? 0) + 1 && <span aria-hidden="true">…</span>}
            {button(one)}
          </Fragment>
        ))}
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={page >= pages}
          onClick={() => onPage(page + 1)}
          aria-label={t(words.next)}
        >
          <IconChevronRight size={16} />
        </ActionIcon>
        {numbers.length < pages && (
          <Input
            size="xs"
            w={64}
            inputMode="numeric"
            placeholder={t(words.goToPage)}
            aria-label={t(words.goToPage)}
            onKeyDown={onKeyDown}
          />
        )}
      </nav>
    </Group>
  );
}
