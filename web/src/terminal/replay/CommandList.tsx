import { Badge, Button, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { IconSearch } from '../icons.ts';
import styles from './CommandList.module.css';
import { clock } from './timeline.ts';
import type { CommandRow } from './useReplay.ts';
import { words } from './words.ts';

const ROW_HEIGHT = 36;
const DANGEROUS = 5;

interface Props {
  readonly commands: readonly CommandRow[];
  readonly failed: boolean;
  readonly current: string | null;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly onJump: (command: CommandRow) => void;
  readonly onRetry: () => void;
}

/** What was typed, beside the picture: a click goes to that moment, and the present one is marked. */
export const CommandList = memo(function CommandList({ commands, failed, current, searchRef, onJump, onRetry }: Props) {
  const [text, setText] = useState('');
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return wanted ? commands.filter(({ input }) => input.toLowerCase().includes(wanted)) : commands;
  }, [commands, text]);
  const virtualizer = useVirtualizer({ count: shown.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_HEIGHT, overscan: 10 });
  const at = shown.findIndex(({ id }) => id === current);
  useEffect(() => {
    // The list follows the picture, unless somebody is at work in it.
    if (at >= 0 && !scroller.current?.matches(':hover')) virtualizer.scrollToIndex(at, { align: 'auto' });
  }, [at, virtualizer]);
  return (
    <aside className={styles.side} aria-label={t(words.commands)}>
      <div className={styles.sideHead}>
        <h2>{t(words.commandsCount, { count: commands.length })}</h2>
        <TextInput
          ref={searchRef}
          size="xs"
          aria-label={t(words.searchCommands)}
          placeholder={t(words.searchCommands)}
          leftSection={<IconSearch size={14} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            const [first] = shown;
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
      ) : shown.length === 0 ? (
        <div className={styles.sideNotice}>{t(commands.length === 0 ? words.noCommands : words.noMatch)}</div>
      ) : (
        <div ref={scroller} className={styles.sideScroller}>
          <ol className={styles.commands} style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map(({ index, start }) => {
              const row = shown[index];
              if (!row) return null;
              const isCurrent = row.id === current;
              return (
                <li key={row.id} style={{ top: start, height: ROW_HEIGHT }}>
                  <button
                    type="button"
                    data-current={isCurrent || undefined}
                    aria-current={isCurrent || undefined}
                    title={row.input}
                    onClick={() => onJump(row)}
                  >
                    <span className={styles.offset}>{clock(row.offset_seconds)}</span>
                    <code>{row.input}</code>
                    {row.risk_level === DANGEROUS ? (
                      <Badge size="xs" color="red" variant="light" tt="none">
                        {t(words.dangerous)}
                      </Badge>
                    ) : null}
                  </button>
                </li>
              );
            })}
          </ol>
        </div>
      )}
    </aside>
  );
});
