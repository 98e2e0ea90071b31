import { Button, Checkbox, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError, PROPOSED } from '../api.ts';
import { ConsequencesBox, type Gate } from '../consequences/ConsequencesBox.tsx';
import { words } from '../consequences/words.ts';
import { common, t } from '../i18n/index.ts';
import type { Confirmation, Question } from './confirmation.ts';
import { useAnswerPause } from './useAnswerPause.ts';

interface ConfirmBodyProps {
  readonly confirmation: Confirmation;
  readonly close: () => void;
  /** Shows the result as a toast. */
  readonly show: (kind: 'success' | 'error', message: string, detail?: string) => void;
}

interface ConfirmButtonProps {
  readonly confirmation: Confirmation;
  readonly busy: boolean;
  readonly ready: boolean;
  /** The consequences are loading. */
  readonly waiting: boolean;
  /** The dialog has just opened. */
  readonly isPaused: boolean;
  /** The user confirmed while the consequences were loading. */
  readonly early: boolean;
}

function ConfirmButton(props: ConfirmButtonProps) {
  const { confirmation, busy, ready, waiting, isPaused, early } = props;
  const { confirm, danger, note } = confirmation;
  return (
    <Button
      type="submit"
      color={danger ? 'red' : 'teal'}
      loading={busy}
      // Never focus a destructive button first.
      {...(!danger && !note && { 'data-autofocus': true })}
      // Keep the color of the button during the pause and while the consequences load.
      {...(!ready && { 'aria-disabled': true })}
      {...(!ready && !waiting && !isPaused && { 'data-disabled': true })}
      aria-busy={waiting || undefined}
    >
      {waiting && early && (
        <Loader
          size={16}
          color="currentColor"
          style={{ position: 'absolute', inset: 0, margin: 'auto' }}
        />
      )}
      {/* Transparent, not removed: the button keeps its name and its width. */}
      <span style={{ opacity: waiting && early ? 0 : undefined }}>{confirm}</span>
    </Button>
  );
}

/** The body of a confirmation dialog: consequences, the phrase to type, and both buttons. */
export function ConfirmBody({ confirmation, close, show }: ConfirmBodyProps) {
  const { message, danger, note, also, run, success, failure, canStop = false } = confirmation;
  const [together, setTogether] = useState(false);
  const consequences = together && also ? also.consequences : confirmation.consequences;
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState('');
  const stopping = useRef<AbortController>(null);
  const [gate, setGate] = useState<Gate>({
    state: consequences ? 'waiting' : 'open',
    phrase: null,
  });
  const [early, setEarly] = useState(false);
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  // A double click or a repeated Enter belongs to the question before.
  const isPaused = useAnswerPause(confirmation) && danger === true;
  const ready =
    !isPaused &&
    gate.state === 'open' &&
    (gate.phrase === null || typed.trim() === gate.phrase.trim()) &&
    (!note?.isRequired || text.trim() !== '');
  const waiting = gate.state === 'waiting';

  async function act(event: FormEvent) {
    event.preventDefault();
    // A confirmation before the consequences load does not count; the button shows a spinner
    // instead.
    if (waiting) setEarly(true);
    if (!ready || busy) return;
    setBusy(true);
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    try {
      await run(text.trim(), together, { signal, report: setProgress });
      if (together) await also?.run?.();
      close();
      if (success) show('success', success);
    } catch (error) {
      if (error instanceof ApiError && error.code === PROPOSED) {
        close();
        return;
      }
      // Keep the dialog open for a retry. A lost session has its own dialog.
      if (!(error instanceof ApiError && error.status === 401))
        show(
          'error',
          failure ?? t(common.updateFailed),
          error instanceof Error ? error.message : undefined,
        );
      setBusy(false);
      setProgress('');
    }
  }

  return (
    <form onSubmit={act} noValidate>
      <Stack>
        <Text style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{message}</Text>
        {consequences && (
          <ConsequencesBox key={String(together)} question={consequences} onGate={setGate} />
        )}
        {note && (
          <TextInput
            label={note.label}
            description={note.hint}
            maxLength={note.max}
            required={note.isRequired ?? false}
            disabled={busy}
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        {also && (
          <Checkbox
            label={also.label}
            checked={together}
            disabled={busy}
            onChange={(event) => setTogether(event.currentTarget.checked)}
          />
        )}
        {gate.state === 'open' && gate.phrase !== null && (
          <TextInput
            label={t(words.typeToConfirm, { phrase: gate.phrase })}
            autoComplete="off"
            spellCheck={false}
            disabled={busy}
            autoFocus
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {canStop && (
          <Text role="status" size="sm" c="dimmed" mih="1.5em">
            {progress}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button
            variant="default"
            onClick={busy ? () => stopping.current?.abort() : close}
            disabled={busy && !canStop}
            {...(danger && !note && { 'data-autofocus': true })}
          >
            {t(busy && canStop ? common.stop : common.cancel)}
          </Button>
          <ConfirmButton
            confirmation={confirmation}
            busy={busy}
            ready={ready}
            waiting={waiting}
            isPaused={isPaused}
            early={early}
          />
        </Group>
      </Stack>
    </form>
  );
}

interface QuestionBodyProps {
  readonly question: Question;
  readonly close: () => void;
}

/** The body of a question: its text and both answers. */
export function QuestionBody({ question, close }: QuestionBodyProps) {
  const { message, confirm, danger, other, onConfirm } = question;
  const isPaused = useAnswerPause(question) && danger === true;
  // Never focus a destructive answer first.
  const focus = { 'data-autofocus': true };
  const answer = (run: (() => void) | undefined) => () => {
    // Before the end of the dialog, which counts as no answer.
    run?.();
    close();
  };
  return (
    <Stack>
      <div>{message}</div>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" {...(danger && focus)} onClick={answer(other?.run)}>
          {other?.label ?? t(common.cancel)}
        </Button>
        <Button
          color={danger ? 'red' : 'teal'}
          {...(!danger && focus)}
          {...(isPaused && { 'aria-disabled': true })}
          onClick={isPaused ? undefined : answer(onConfirm)}
        >
          {confirm}
        </Button>
      </Group>
    </Stack>
  );
}
