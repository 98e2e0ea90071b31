import { Button, Checkbox, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { COMMAND_LIBRARY, commandFilterRule, type LibraryRule } from '@sallyport/contract';
import { useState } from 'react';
import { common, t } from '../../../../kit/i18n/index.ts';
import styles from './LibraryDialog.module.css';
import { useLibrary } from './useLibrary.ts';
import { words } from './words.ts';

const ACTIONS = commandFilterRule.fields.action;

interface LibraryDialogProps {
  readonly filter: string;
  readonly onClose: () => void;
}

/** Offers the rules of the library, and adds the chosen ones to a filter. */
export function LibraryDialog({ filter, onClose }: LibraryDialogProps) {
  const library = useLibrary(filter, onClose);
  const [shown, setShown] = useState<string>(COMMAND_LIBRARY[0].name);
  const group = COMMAND_LIBRARY.find(({ name }) => name === shown) ?? COMMAND_LIBRARY[0];
  const free = group.rules.filter((rule) => !library.isPresent(rule));
  const chosen = free.filter(({ id }) => library.actions.has(id));
  const count = library.actions.size;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.title)}
      size="xl"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void library.add();
        }}
      >
        <Stack>
          <Text fz="sm">{t(words.hint)}</Text>
          <NativeSelect
            label={t(words.targets)}
            value={shown}
            onChange={(event) => setShown(event.currentTarget.value)}
            data={COMMAND_LIBRARY.map(({ name, title }) => ({ value: name, label: t(title) }))}
            data-autofocus
          />
          <Checkbox
            label={t(words.all)}
            checked={free.length > 0 && chosen.length === free.length}
            indeterminate={chosen.length > 0 && chosen.length < free.length}
            disabled={free.length === 0 || library.isLoading || library.busy}
            onChange={(event) => library.choose(free, event.currentTarget.checked)}
          />
          <ul className={styles.rules} aria-label={t(group.title)}>
            {group.rules.map((rule) => (
              <LibraryRow key={rule.id} rule={rule} library={library} />
            ))}
          </ul>
          <Group justify="flex-end" gap="xs" className={styles.footer}>
            <Button variant="default" onClick={onClose} disabled={library.busy}>
              {t(common.cancel)}
            </Button>
            <Button type="submit" disabled={count === 0} loading={library.busy}>
              {t(words.add, { count })}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function LibraryRow({
  rule,
  library: { actions, setAction, choose, isPresent, isLoading, busy },
}: {
  readonly rule: LibraryRule;
  readonly library: ReturnType<typeof useLibrary>;
}) {
  const present = isPresent(rule);
  const sentence = t(rule.sentence);
  const isChosen = actions.has(rule.id);
  return (
    <li className={styles.rule}>
      <div className={styles.what}>
        <Checkbox
          label={sentence}
          checked={present || isChosen}
          disabled={present || isLoading || busy}
          onChange={(event) => choose([rule], event.currentTarget.checked)}
        />
        <div className={styles.text}>
          {present && <div>{t(words.present)}</div>}
          {t(words.matches)}
          <code className="mono">{rule.example}</code>
          <details>
            <summary>{t(words.pattern)}</summary>
            <pre className={`mono ${styles.pattern}`}>{rule.content}</pre>
          </details>
        </div>
      </div>
      <NativeSelect
        aria-label={t(words.actionOf, { rule: sentence })}
        size="xs"
        value={String(actions.get(rule.id) ?? rule.action)}
        disabled={!isChosen || busy}
        onChange={(event) => setAction(rule.id, Number(event.currentTarget.value))}
        data={ACTIONS.choices.map(({ value, label }) => ({
          value: String(value),
          label: t(label),
        }))}
      />
    </li>
  );
}
