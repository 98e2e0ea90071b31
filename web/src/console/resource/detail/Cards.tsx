import { Button, Switch, Text } from '@mantine/core';
import { type Field, type LocalText, say } from '@sallyport/contract';
import { type ReactNode, useId, useState } from 'react';
import { common, language, t } from '../../../kit/i18n/index.ts';
import { IconBolt, IconInfoCircle } from '../../../kit/icons.ts';
import { linkedCell } from '../object/LinkedCell.tsx';
import type { Source } from '../source.ts';
import styles from './Detail.module.css';
import { words } from './words.ts';

/** A card with a heading. */
export function Card({
  title,
  icon,
  children,
}: {
  readonly title: string;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={id}>
      <h2 className={styles.head} id={id}>
        {icon}
        {title}
      </h2>
      {children}
    </section>
  );
}

/** A fact of the detail card: a field of the object, or something the page words itself. */
export type Fact<T> =
  | (keyof T & string)
  | { readonly name: string; readonly label: LocalText; readonly value: (object: T) => ReactNode };

/** The facts about one object, each with its name. */
export function DetailCard<T extends object>({
  source,
  object,
  facts,
  title = t(common.basicInfo),
}: {
  readonly source: Source;
  readonly object: T;
  readonly facts: readonly Fact<T>[];
  readonly title?: string;
}) {
  return (
    <Card title={title} icon={<IconInfoCircle size={16} />}>
      <dl className={styles.facts}>
        {facts.map((fact) => {
          if (typeof fact !== 'string')
            return <FactRow key={fact.name} label={t(fact.label)} value={fact.value(object)} />;
          const field: Field | undefined = source.fields[fact];
          return (
            <FactRow
              key={fact}
              label={field ? say(field.label, language) : fact}
              value={linkedCell(object, fact, field)}
            />
          );
        })}
      </dl>
    </Card>
  );
}

function FactRow({ label, value }: { readonly label: string; readonly value: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** One quick action: a switch, or a button. */
export type QuickAction =
  | {
      readonly key: string;
      readonly title: string;
      readonly hint?: string;
      readonly checked: boolean;
      readonly disabled?: boolean;
      readonly toggle: (checked: boolean) => Promise<unknown>;
    }
  | {
      readonly key: string;
      readonly title: string;
      readonly hint?: string;
      readonly button: string;
      readonly disabled?: boolean;
      readonly danger?: boolean;
      readonly run: () => unknown;
    };

/** One quick action: what it is, and its switch or button. */
function QuickActionRow({ action }: { readonly action: QuickAction }) {
  const [busy, setBusy] = useState(false);
  const id = useId();
  async function act(work: () => unknown) {
    setBusy(true);
    try {
      await work();
    } catch {
      // The request layer has shown the error; the control shows what is stored.
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
          disabled={action.disabled ?? false}
          aria-busy={busy}
          onChange={(event) => {
            const { checked } = event.currentTarget;
            // It is not disabled meanwhile: the focus comes back to it from a question.
            if (!busy) void act(() => action.toggle(checked));
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

/** What can be changed about the object without opening its form; nothing where there is nothing to change. */
export function QuickActionsCard({
  actions,
  title = t(words.quickUpdate),
}: {
  readonly actions: readonly QuickAction[];
  readonly title?: string;
}) {
  if (actions.length === 0) return null;
  return (
    <Card title={title} icon={<IconBolt size={16} />}>
      {actions.map((action) => (
        <QuickActionRow key={action.key} action={action} />
      ))}
    </Card>
  );
}
