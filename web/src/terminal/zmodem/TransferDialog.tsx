import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useAnswerPause } from '../../kit/dialogs/useAnswerPause.ts';
import { sizeText } from '../../kit/format/size.ts';
import { t } from '../../kit/i18n/index.ts';
import { MAX_IN_MEMORY, writesToDisk } from './file-sinks.ts';
import type { FileTransfer, TransferState } from './file-transfer.ts';
import styles from './TransferDialog.module.css';
import { words } from './words.ts';

interface Props {
  readonly transfer: FileTransfer;
  readonly close: () => void;
}

type StateOf<Phase extends TransferState['phase']> = Extract<TransferState, { phase: Phase }>;

/** Questions and progress of `rz` or `sz`. Closes when the transfer has ended. */
export function TransferDialog({ transfer, close }: Props) {
  const state = useSyncExternalStore(transfer.subscribe, transfer.snapshot);
  const isOver = state.phase === 'over';
  useEffect(() => {
    if (isOver) close();
  }, [isOver, close]);
  if (state.phase === 'choose') return <Choose transfer={transfer} />;
  if (state.phase === 'save') return <Save transfer={transfer} state={state} />;
  if (state.phase === 'running') return <Running transfer={transfer} state={state} />;
  return null;
}

function Choose({ transfer }: Pick<Props, 'transfer'>) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <Stack>
      <Text size="sm">{t(words.chooseQuestion)}</Text>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t(words.choose)}
        onChange={({ currentTarget: { files } }) => {
          if (files && files.length > 0) transfer.choose([...files]);
        }}
      />
      <Group justify="flex-end" gap="xs">
        <CancelButton transfer={transfer} />
        <Button autoFocus data-autofocus onClick={() => input.current?.click()}>
          {t(words.choose)}
        </Button>
      </Group>
    </Stack>
  );
}

function Save({
  transfer,
  state: { file, isTooLarge },
}: Pick<Props, 'transfer'> & { readonly state: StateOf<'save'> }) {
  const isPaused = useAnswerPause(file);
  const limit = sizeText(MAX_IN_MEMORY);
  return (
    <Stack>
      <Text size="sm">{t(words.saveQuestion)}</Text>
      <FileName name={file.name} detail={file.size === null ? '' : sizeText(file.size)} />
      {file.more > 0 ? (
        <Text size="sm" c="dimmed">
          {t(words.more, { count: file.more })}
        </Text>
      ) : null}
      {isTooLarge ? (
        <Alert color="yellow" role="alert">
          {t(words.tooLarge, { limit })}
        </Alert>
      ) : null}
      {isTooLarge || writesToDisk() ? null : (
        <Text size="xs" c="dimmed">
          {t(words.limit, { limit })}
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        <CancelButton transfer={transfer} />
        <Button
          key={file.name}
          autoFocus
          data-autofocus
          disabled={isTooLarge}
          onClick={() => isPaused || void transfer.save()}
          aria-disabled={isPaused || undefined}
        >
          {t(words.save)}
        </Button>
      </Group>
    </Stack>
  );
}

function Running({
  transfer,
  state: { operation, name, size, passed },
}: Pick<Props, 'transfer'> & { readonly state: StateOf<'running'> }) {
  const box = useRef<HTMLDivElement>(null);
  // The focus stays in the dialog, and not on a button: Enter may repeat.
  useEffect(() => box.current?.focus(), []);
  return (
    <Stack ref={box} tabIndex={-1} className={styles.running}>
      <Text size="sm" role="status">
        {t(operation === 'upload' ? words.sending : words.receiving)}
      </Text>
      <FileName
        name={name}
        detail={
          size === null
            ? sizeText(passed)
            : t(words.passed, { passed: sizeText(passed), size: sizeText(size) })
        }
      />
      <Progress
        value={size ? Math.min(100, (passed / size) * 100) : 0}
        aria-label={t(words.progressOf, { name })}
        transitionDuration={0}
      />
      <Group justify="flex-end">
        <CancelButton transfer={transfer} />
      </Group>
    </Stack>
  );
}

function FileName({ name, detail }: { readonly name: string; readonly detail: string }) {
  return (
    <p className={styles.file}>
      <strong>{name}</strong>
      <span>{detail}</span>
    </p>
  );
}

function CancelButton({ transfer }: Pick<Props, 'transfer'>) {
  return (
    <Button variant="default" onClick={() => transfer.cancel()}>
      {t(words.cancel)}
    </Button>
  );
}
