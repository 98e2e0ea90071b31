import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { ApiError } from './api.ts';
import type { Confirmation } from './confirmation.ts';
import type { Gate } from './consequences/ConsequencesBox.tsx';
import { words } from './consequences/words.ts';
import { common, t } from './i18n/index.ts';

const ConsequencesBox = lazy(() => import('./consequences/ConsequencesBox.tsx').then((module) => ({ default: module.ConsequencesBox })));

interface ConfirmBodyProps {
  readonly confirmation: Confirmation;
  readonly close: () => void;
  /** Shows what became of it. */
  readonly show: (kind: 'success' | 'error', message: string, detail?: string) => void;
}

/** The inside of a question before something is done: what follows from it, what must be typed, and the two answers. */
export function ConfirmBody({ confirmation, close, show }: ConfirmBodyProps) {
  const { message, confirm, danger, consequences, note, run, success, failure } = confirmation;
  const [busy, setBusy] = useState(false);
  const [gate, setGate] = useState<Gate>({ state: consequences ? 'waiting' : 'open', phrase: null });
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  const ready = gate.state === 'open' && (gate.phrase === null || typed.trim() === gate.phrase.trim());

  async function act(event: FormEvent) {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    try {
      await run(text.trim());
      close();
      if (success) show('success', success);
    } catch (error) {
      // The dialog stays, so that the same thing can be tried again. A lost session has its own dialog.
      if (!(error instanceof ApiError && error.status === 401))
        show('error', failure ?? t(common.updateFailed), error instanceof Error ? error.message : undefined);
      setBusy(false);
    }
  }

  return (
    <form onSubmit={act} noValidate>
      <Stack>
        <Text style={{ overflowWrap: 'anywhere' }}>{message}</Text>
        {consequences && (
          <Suspense fallback={<Skeleton height={40} />}>
            <ConsequencesBox question={consequences} onGate={setGate} />
          </Suspense>
        )}
        {note && (
          <TextInput
            label={note.label}
            description={note.hint}
            maxLength={note.max}
            disabled={busy}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
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
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={busy}>
            {t(common.cancel)}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red' : 'teal'}
            loading={busy}
            data-autofocus
            // It keeps the focus, and while the consequences are on their way also its color.
            {...(!ready && { 'aria-disabled': true })}
            {...(!ready && gate.state !== 'waiting' && { 'data-disabled': true })}
          >
            {confirm ?? t(common.confirm)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
