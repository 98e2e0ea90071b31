import { Button, Group, TextInput } from '@mantine/core';
import {
  type CommandTrial,
  type CommandTrialResult,
  commandFilter,
  type LocalText,
  MAX_TRIED_COMMAND,
  RULE_CONFIRM,
  RULE_HOLD,
  RULE_WARN,
} from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import detail from '../../resource/detail/Detail.module.css';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { words } from './words.ts';

/** Shows the rule of a filter that matches a command. Each check reads the stored rules again. */
export function TryOut({ filter }: { readonly filter: string }) {
  const [command, setCommand] = useState('');
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<CommandTrialResult>();

  async function check(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setResult(undefined);
    try {
      const body: CommandTrial = { command };
      setResult(await api.post<CommandTrialResult>(`${commandFilter.path}/${filter}/try/`, body));
    } catch {
      // The request layer shows the error.
    } finally {
      setBusy(false);
    }
  }

  return (
    <Card title={t(words.tryTitle)}>
      <form className={detail.body} onSubmit={(event) => void check(event)}>
        <Group align="end" gap="sm">
          <TextInput
            label={t(words.tryLabel)}
            description={t(words.tryHint)}
            value={command}
            maxLength={MAX_TRIED_COMMAND}
            onChange={(event) => setCommand(event.currentTarget.value)}
            classNames={{ input: 'mono' }}
            style={{ flex: '1 1 240px' }}
            spellCheck={false}
            autoComplete="off"
          />
          <Button type="submit" loading={busy} disabled={command.trim() === ''}>
            {t(words.tryButton)}
          </Button>
        </Group>
        <div aria-live="polite" style={{ marginTop: 12 }}>
          {result && <Answer result={result} />}
        </div>
      </form>
    </Card>
  );
}

/** Outcomes for commands that a rule asks about, by its action. */
const OUTCOMES: Readonly<Record<number, LocalText>> = {
  [RULE_HOLD]: words.holds,
  [RULE_CONFIRM]: words.asksWord,
  [RULE_WARN]: words.warns,
};

function Answer({
  result: { is_allowed: isAllowed, rule },
}: {
  readonly result: CommandTrialResult;
}) {
  return (
    <>
      <YesNo
        value={isAllowed}
        yes={t(rule ? (OUTCOMES[rule.action] ?? words.allowed) : words.allowed)}
        no={t(words.denied)}
      />{' '}
      {rule ? t(words.caught, { priority: rule.priority, found: rule.found }) : t(words.noRule)}
      {rule && (
        <pre
          className="mono"
          style={{ margin: '8px 0 0', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {rule.content}
        </pre>
      )}
    </>
  );
}
