import { Button, Group, Switch, Text } from '@mantine/core';
import { type Field, type LocalText, say } from '@sallyport/contract';
import { type ReactNode, useId, useState } from 'react';
import { common, language, t } from '../../../kit/i18n/index.ts';
import { IconBolt, IconInfoCircle } from '../../../kit/icons.ts';
import { windowLink } from '../../base/addresses.ts';
import { linkedCell } from '../object/LinkedCell.tsx';
import type { Source } from '../source.ts';
import styles from './Detail.module.css';
import { words } from './words.ts';

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

/** A row of the detail card: a field of the object, or a label with own content. */
export type Fact<T> =
  | (keyof T & string)
  | {
      readonly name: string;
      readonly label: LocalText;
      readonly value: (object: T) => ReactNode;
      /** Long values take the whole width of the card. */
      readonly isWide?: true;
    };

/** Some texts of the server and of lists write a dash for nothing. */
const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === '-' ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** Returns the label and the drawn value of a fact; undefined for an empty value. */
function factRow<T extends object>(source: Source, object: T, fact: Fact<T>) {
  if (typeof fact !== 'string') {
    const value = fact.value(object);
    const { name, label, isWide } = fact;
    return isEmpty(value) ? undefined : { name, label: t(label), value, isWide };
  }
  const stored: unknown = object[fact];
  if (stored !== false && isEmpty(stored)) return undefined;
  const field: Field | undefined = source.fields[fact];
  return {
    name: fact,
    label: field ? say(field.label, language) : fact,
    value: linkedCell(object, fact, field),
    isWide: undefined,
  };
}

/** The card with facts about one object, each with its label. Leaves out empty values. */
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
        {facts.flatMap((fact) => {
          const row = factRow(source, object, fact);
          return row
            ? [
                <div key={row.name} data-wide={row.isWide}>
                  <dt>{row.label}</dt>
                  <dd>{row.value}</dd>
                </div>,
              ]
            : [];
        })}
      </dl>
    </Card>
  );
}

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
      /** The address of another window, if the action only opens it: drawn as a link. */
      readonly opens?: string;
    }
  | {
      readonly key: string;
      readonly title: string;
      readonly hint?: string;
      readonly disabled?: boolean;
      /** Sizes of one action, such as days, in one row. */
      readonly choices: readonly { readonly button: string; readonly run: () => unknown }[];
    };

interface ActionButtonProps {
  readonly title: string;
  readonly button: string;
  readonly busy: boolean;
  readonly disabled?: boolean | undefined;
  readonly danger?: boolean | undefined;
  readonly opens?: string | undefined;
  readonly onRun: () => void;
}

function ActionButton({ title, button, busy, disabled, danger, opens, onRun }: ActionButtonProps) {
  return (
    <Button
      size="compact-sm"
      variant="light"
      color={danger ? 'red' : 'teal'}
      loading={busy}
      disabled={disabled ?? false}
      aria-label={`${title}: ${button}`}
      {...(opens !== undefined && !disabled ? windowLink(opens) : { onClick: onRun })}
    >
      {button}
    </Button>
  );
}

function QuickActionRow({ action }: { readonly action: QuickAction }) {
  const [busy, setBusy] = useState(false);
  const id = useId();
  async function act(work: () => unknown) {
    setBusy(true);
    try {
      await work();
    } catch {
      // The request layer has reported the error; the control shows the stored value.
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
            // The control stays enabled while busy, so a closing confirmation can return the focus
            // to it.
            if (!busy) void act(() => action.toggle(checked));
          }}
        />
      ) : 'choices' in action ? (
        <Group gap={4} wrap="nowrap">
          {action.choices.map(({ button, run }) => (
            <ActionButton
              key={button}
              title={action.title}
              button={button}
              busy={busy}
              disabled={action.disabled}
              onRun={() => void act(run)}
            />
          ))}
        </Group>
      ) : (
        <ActionButton
          title={action.title}
          button={action.button}
          busy={busy}
          disabled={action.disabled}
          danger={action.danger}
          opens={action.opens}
          onRun={() => void act(action.run)}
        />
      )}
    </div>
  );
}

/** Actions that change the object without opening its form. Draws nothing without actions. */
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
