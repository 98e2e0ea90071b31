import { Alert, Button, List, Skeleton, Text } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from 'react';
import { useConnection } from '../../../kit/connection/connection.ts';
import { words as connectionWords } from '../../../kit/connection/words.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import listStyles from '../list/List.module.css';
import { LoadFailed } from '../list/ListStates.tsx';
import { FieldWidget } from './FieldWidget.tsx';
import styles from './Form.module.css';
import { focusFirstProblem } from './focus-first-problem.ts';
import { LeaveWarning } from './LeaveWarning.tsx';
import type { FieldOverrides, FormGroup } from './spec.ts';
import type { FormModel } from './useForm.ts';
import { words } from './words.ts';

interface ResourceFormProps {
  readonly form: FormModel;
  readonly groups: readonly FormGroup[];
  readonly overrides?: FieldOverrides;
  readonly onCancel?: () => void;
  /** Further buttons of the bar, and the notice above it. */
  readonly extra?: ReactNode;
  readonly notice?: ReactNode;
  /** Text of the submit button. */
  readonly submitText?: LocalText;
  /** Offers to save and add another object without leaving the form. */
  readonly canAddAnother?: boolean;
  /** Focuses the first field on load, except on devices with an on-screen keyboard. */
  readonly takesFocus?: boolean;
}

const FIRST_FIELD =
  'input:not([type="checkbox"], [type="radio"], :disabled), textarea:not(:disabled)';

/**
 * Placeholder of a form while its values load: its groups, and the fields that do not depend on
 * values.
 */
function FormShape({
  groups,
  overrides,
}: {
  readonly groups: readonly FormGroup[];
  readonly overrides: FieldOverrides;
}) {
  return (
    <div className={styles.form} aria-busy="true">
      {groups.map(({ title, fields }) => (
        <div key={title.en} className={styles.group}>
          <div className={styles.groupTitle}>{t(title)}</div>
          <div className={styles.fields}>
            {fields
              .filter((name) => !overrides[name]?.hidden)
              .map((name) => (
                <div key={name}>
                  <Skeleton height={12} width={120} mb={8} />
                  <Skeleton height={36} />
                </div>
              ))}
          </div>
        </div>
      ))}
    </div>
  );
}

/** Draws a form: groups in cards, fields with their errors, and a sticky submit bar. */
export function ResourceForm({
  form,
  groups,
  overrides = {},
  extra,
  notice,
  onCancel,
  submitText = common.submit,
  canAddAnother = false,
  takesFocus = false,
}: ResourceFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const { otherErrors } = form;
  const connection = useConnection();
  const waiting = useId();

  // After a rejection, focus the first invalid field and scroll to it.
  const { rejections } = form;
  useEffect(() => {
    if (rejections > 0 && element.current) focusFirstProblem(element.current);
  }, [rejections]);

  const isReady = form.state === 'ready';
  useEffect(() => {
    if (isReady && takesFocus && matchMedia('(pointer: fine)').matches)
      element.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
  }, [isReady, takesFocus]);

  if (form.state === 'loading') return <FormShape groups={groups} overrides={overrides} />;
  if (form.state === 'failed') {
    return (
      <div className={listStyles.card}>
        <LoadFailed error={form.loadError} onRetry={form.retry} />
      </div>
    );
  }
  if (form.state === 'forbidden') return <Alert color="yellow">{t(words.noForm)}</Alert>;

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    void form.submit();
  }

  /**
   * Ctrl+Enter submits from any field, including multi-line ones. Skips keys that an open list of
   * options handled.
   */
  function onKeyDown(event: KeyboardEvent<HTMLFormElement>) {
    if (
      event.key !== 'Enter' ||
      !(event.ctrlKey || event.metaKey) ||
      event.defaultPrevented ||
      form.saving ||
      connection.lost
    )
      return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  }

  async function addAnother() {
    await form.submit({ another: true });
    // For the next object, focus the first field unless a field is invalid.
    if (!element.current?.querySelector('[aria-invalid="true"]'))
      element.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
  }

  return (
    <form
      ref={element}
      className={styles.form}
      onSubmit={onSubmit}
      onKeyDown={onKeyDown}
      noValidate
    >
      <LeaveWarning dirty={form.dirty} />
      {otherErrors.length > 0 && (
        <Alert color="red" title={t(words.otherProblems)} mb="md" role="alert">
          <List size="sm">
            {otherErrors.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {groups.map((group) => {
        const visible = group.fields.filter((name) => form.fields[name] && !form.isHidden(name));
        if (visible.length === 0) return null;
        return (
          <section key={group.title.en} className={styles.group} aria-label={t(group.title)}>
            <h2 className={styles.groupTitle}>{t(group.title)}</h2>
            <div className={styles.fields}>
              {visible.map((name) => {
                const field = form.fields[name];
                if (!field) return null;
                const override = overrides[name];
                const Widget = override?.widget ?? FieldWidget;
                const refusal = override?.refusal?.(form.object);
                const help = override?.help ?? field.help;
                const isWrong = Object.keys(form.errors).some(
                  (path) => path === name || path.startsWith(`${name}.`),
                );
                return (
                  <div key={name} {...(isWrong && { 'data-problem': true })}>
                    <Widget
                      name={name}
                      field={field}
                      label={override?.label ? t(override.label) : t(field.label)}
                      help={refusal ?? (help && t(help))}
                      required={form.isRequired(name)}
                      disabled={
                        refusal !== undefined ||
                        (override?.disabled?.(form.values, form.updating) ?? false)
                      }
                      error={form.errors[name]}
                      value={form.values[name]}
                      onChange={(value) => form.set(name, value)}
                      onBlur={() => form.leave(name)}
                      updating={form.updating && !override?.isUnset && !override?.clientOnly}
                      {...(override?.members && { members: override.members(form.values) })}
                      inner={{ errors: form.errors, leave: form.leave }}
                    />
                  </div>
                );
              })}
            </div>
          </section>
        );
      })}
      {notice}
      <div className={styles.bar}>
        {connection.lost && (
          <Text id={waiting} fz="sm" c="dimmed" role="status" mr="auto">
            {t(connectionWords.cannotSave)}
          </Text>
        )}
        {extra}
        {onCancel && (
          <Button variant="subtle" color="gray" onClick={onCancel}>
            {t(common.cancel)}
          </Button>
        )}
        <Button
          variant="default"
          {...(onCancel && { className: styles.spare })}
          onClick={form.reset}
          disabled={!form.dirty || form.saving}
        >
          {t(words.reset)}
        </Button>
        {canAddAnother && !form.updating && (
          <Button
            variant="default"
            disabled={form.saving || connection.lost}
            onClick={() => void addAnother()}
          >
            {t(words.saveAndAdd)}
          </Button>
        )}
        <Button
          type="submit"
          loading={form.saving}
          disabled={connection.lost}
          aria-describedby={connection.lost ? waiting : undefined}
        >
          {t(submitText)}
        </Button>
      </div>
    </form>
  );
}
