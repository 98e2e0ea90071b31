import { ActionIcon, Group, Input, Text, UnstyledButton } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { IconChevronDown, IconChevronLeft, IconChevronRight } from '../../../kit/icons.ts';
import styles from './List.module.css';
import { pagerWindow } from './list-state.ts';
import { words } from './words.ts';

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly size: number;
  readonly sizes: readonly number[];
  readonly count: number;
  readonly onPage: (page: number) => void;
  readonly onSize: (size: number) => void;
}

/** Total, page size, and the pages around the current one. */
export function Pager({ page, pages, size, sizes, count, onPage, onSize }: PagerProps) {
  return (
    <Group justify="space-between" gap="sm" className={styles.pager}>
      <Group gap="sm">
        <Text c="dimmed" fz="sm" aria-live="polite">
          {t(words.total, { count })}
        </Text>
        {/* Not NativeSelect: what it brings along is more than the whole pager. */}
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
        <ActionIcon variant="subtle" color="gray" disabled={page <= 1} onClick={() => onPage(page - 1)} aria-label={t(words.previous)}>
          <IconChevronLeft size={16} />
        </ActionIcon>
        {pagerWindow(page, pages).map((one) => (
          <UnstyledButton
            key={one}
            className={`${styles.page} mono`}
            aria-label={t(words.page, { page: one })}
            {...(one === page && { 'aria-current': 'page' as const })}
            onClick={() => onPage(one)}
          >
            {one}
          </UnstyledButton>
        ))}
        <ActionIcon variant="subtle" color="gray" disabled={page >= pages} onClick={() => onPage(page + 1)} aria-label={t(words.next)}>
          <IconChevronRight size={16} />
        </ActionIcon>
      </nav>
    </Group>
  );
}
