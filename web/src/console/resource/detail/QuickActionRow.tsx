import '../../../kit/styles-more.css';
import { Button, Switch, Text } from '@mantine/core';
import { useId, useState } from 'react';
import type { QuickAction } from './cards.tsx';
import styles from './Detail.module.css';

/** One quick action: what it is, and its switch or button. */
export function QuickActionRow({ action }: { readonly action: QuickAction }) {
  const [busy, setBusy] = useState(false);
  const id = useId();
  async function act(work: () => unknown) {
    setBusy(true);
    try {
      await work();
    } catch {
      // The request layer has told the person; the control shows what is stored.
    } finally {
      setBusy(false);
    }
  }
  return (
    <div className={styles.action}>
      <span>
        <span id={id}>{action.title}</span>
        {action.hint && (
          <Text span display="block" fz="xs" c="dimmed" id={`${id}-hint`}>
            {action.hint}
          </Text>
        )}
      </span>
      {'checked' in action ? (
        <Switch
          aria-labelledby={id}
          {...(action.hint && { 'aria-describedby': `${id}-hint` })}
          checked={action.checked}
          disabled={busy || (action.disabled ?? false)}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            void act(() => action.toggle(checked));
          }}
        />
      ) : (
        <Button
          size="compact-sm"
          variant="light"
          color={action.danger ? 'red' : 'teal'}
          loading={busy}
          disabled={action.disabled ?? false}
          aria-label={`${action.title}: ${action.button}`}
          onClick={() => void act(action.run)}
        >
          {action.button}
        </Button>
      )}
    </div>
  );
}
