import { Badge, Button, TextInput } from '@mantine/core';
import { memo, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { isComposing } from '../../kit/composing.ts';
import { clock } from '../../kit/format/format.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { useRowsInSight } from '../../kit/useRowsInSight.ts';
import { IconSearch } from '../icons.ts';
import styles from './CommandList.module.css';
import type { CommandRow } from './useReplay.ts';
import { words } from './words.ts';

const ROW_HEIGHT = 36;
const DANGEROUS = 5;

/** The fields of a command, or of recorded keys, that the list uses. */
export type ListedCommand = Pick<
  CommandRow,
  'id' | 'input' | 'offset_seconds' | 'typed_by' | 'risk_level'
> &
  Partial<Pick<CommandRow, 'verdict' | 'verdict_display'>>;

/** Texts by the kind of list. */
const TEXTS = {
  commands: {
    list: words.commands,
    count: words.commandsCount,
    search: words.searchCommands,
    none: words.noCommands,
  },
  keys: { list: words.keys, count: words.keysCount, search: words.searchKeys, none: words.noKeys },
} as const;

interface Props {
  readonly kind?: keyof typeof TEXTS;
  readonly commands: readonly ListedCommand[];
  readonly failed: boolean;
  readonly current: string | null;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly onJump: (command: ListedCommand) => void;
  readonly onRetry: () => void;
}

/** The visible rows, positioned absolutely. */
function CommandRows({
  commands,
  current,
  onJump,
}: Pick<Props, 'commands' | 'current' | 'onJump'>) {
  const scroller = useRef<HTMLDivElement>(null);
  const { first, last, total, scrollTo } = useRowsInSight(scroller, commands.length, ROW_HEIGHT);
  const at = commands.findIndex(({ id }) => id === current);
  useEffect(() => {
    // Follow the picture, except while the user points at the list.
    if (at >= 0 && !scroller.current?.matches(':hover')) scrollTo(at);
  }, [at, scrollTo]);
  return (
    <div ref={scroller} className={styles.sideScroller}>
      <ol className={styles.commands} style={{ height: total }}>
        {commands.slice(first, last + 1).map((row, offset) => {
          const isCurrent = row.id === current;
          return (
            <li key={row.id} style={{ top: (first + offset) * ROW_HEIGHT, height: ROW_HEIGHT }}>
              <button
                type="button"
                data-current={isCurrent || undefined}
                aria-current={isCurrent || undefined}
                title={
                  row.typed_by
                    ? `${row.input} · ${t(words.typedBy, { names: row.typed_by })}`
                    : row.input
                }
                onClick={() => onJump(row)}
              >
                <span className={styles.offset}>{clock(row.offset_seconds)}</span>
                <code>{row.input}</code>
                {row.typed_by ? (
                  <Badge size="xs" color="gray" variant="light" maw={120}>
                    {row.typed_by}
                  </Badge>
                ) : null}
                {row.verdict && row.verdict !== 'none' ? (
                  <Badge size="xs" color="yellow" variant="light">
                    {row.verdict_display}
                  </Badge>
                ) : null}
                {row.risk_level === DANGEROUS ? (
                  <Badge size="xs" color="red" variant="light">
                    {t(words.dangerous)}
                  </Badge>
                ) : null}
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/**
 * The list of commands next to the picture. A click seeks to the command; the current one is
 * highlighted.
 */
export const CommandList = memo(function CommandList({
  kind = 'commands',
  commands,
  failed,
  current,
  searchRef,
  onJump,
  onRetry,
}: Props) {
  const texts = TEXTS[kind];
  const [text, setText] = useState('');
  const matches = useMemo(() => {
    const query = text.trim().toLowerCase();
    return query ? commands.filter(({ input }) => input.toLowerCase().includes(query)) : commands;
  }, [commands, text]);
  return (
    <aside className={styles.side} aria-label={t(texts.list)}>
      <div className={styles.sideHead}>
        <h2>{t(texts.count, { count: commands.length })}</h2>
        <TextInput
          ref={searchRef}
          size="xs"
          aria-label={t(texts.search)}
          placeholder={t(texts.search)}
          leftSection={<IconSearch size={14} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isComposing(event)) return;
            const [first] = matches;
            if (event.key === 'Enter' && first) onJump(first);
            else if (event.key === 'Escape') {
              setText('');
              event.currentTarget.blur();
            }
          }}
        />
      </div>
      {failed ? (
        <div className={styles.sideNotice}>
          {t(words.commandsFailed)}
          <Button size="xs" variant="default" onClick={onRetry}>
            {t(common.retry)}
          </Button>
        </div>
      ) : matches.length === 0 ? (
        <div className={styles.sideNotice}>
          {t(commands.length === 0 ? texts.none : words.noMatch)}
        </div>
      ) : (
        <CommandRows commands={matches} current={current} onJump={onJump} />
      )}
    </aside>
  );
});
