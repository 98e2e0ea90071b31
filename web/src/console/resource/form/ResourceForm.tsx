import { Alert, Button, List, Skeleton } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { isEnter } from '../../../kit/composing.ts';
import { useConnection } from '../../../kit/connection/connection.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import listStyles from '../list/List.module.css';
import { LoadFailed } from '../list/ListStates.tsx';
import styles from './Form.module.css';
import { FormBar } from './FormBar.tsx';
import { FoldTitle, FormSection, SectionFrame } from './FormSection.tsx';
import { LeaveWarning } from './LeaveWarning.tsx';
import type { FieldOverrides, FormGroup } from './spec.ts';
import type { FormModel } from './useForm.ts';
import { words } from './words.ts';

const CONTROLS = [
  '[aria-invalid="true"]',
  'input:checked',
  'input, textarea, select, button, [tabindex="0"]',
];

/**
 * Focuses the first invalid control of a form, including groups of choices, and scrolls it to the
 * middle. Scrolls to the top for errors without a field.
 */
function focusFirstProblem(form: HTMLElement): void {
  const problem = form.querySelector<HTMLElement>('[data-problem], [role="alert"]');
  if (!problem) return;
  const control = CONTROLS.map((selector) =>
    problem.querySelector<HTMLElement & { readonly disabled?: boolean }>(
      `:is(${selector}):not(:disabled)`,
    ),
  ).find(Boolean);
  control?.focus({ preventScroll: true });
  problem.scrollIntoView({ block: 'center' });
}

/**
 * Placeholder of a form while its values load: its sections, and the fields that do not depend on
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
      <div className={styles.card}>
        {groups.map((group) => {
          const names = group.fields.filter((name) => !overrides[name]?.hidden);
          if (names.length === 0) return null;
          if (group.isFolded)
            return (
              <div key={group.title.en} className={styles.section}>
                <FoldTitle group={group} isOpen={false} />
              </div>
            );
          return (
            <SectionFrame
              key={group.title.en}
              group={group}
              count={names.length}
              isOnly={groups.length === 1}
            >
              {names.map((name) => (
                <div key={name}>
                  <Skeleton height={12} width={120} mb={8} />
                  <Skeleton height={36} />
                </div>
              ))}
            </SectionFrame>
          );
        })}
      </div>
    </div>
  );
}

interface ResourceFormProps {
  readonly form: FormModel;
  readonly groups: readonly FormGroup[];
  readonly overrides?: FieldOverrides;
  readonly onCancel?: () => void;
  /** Further buttons of the bar, and the notice above it. */
  readonly extra?: ReactNode;
  readonly notice?: ReactNode;
  /** Summary in one line, above the buttons. */
  readonly line?: ReactNode;
  /** Text of the submit button. */
  readonly submitText?: LocalText;
  /** Offers to save and add another object without leaving the form. */
  readonly canAddAnother?: boolean;
  /** Focuses the first field on load, except on devices with an on-screen keyboard. */
  readonly takesFocus?: boolean;
}

const FIRST_FIELD =
  'input:not([type="checkbox"], [type="radio"], :disabled), textarea:not(:disabled)';

/** Focuses fields: the first one on load and for the next object, or the first invalid one. */
function useFormFocus({ state, rejections }: FormModel, takesFocus: boolean) {
  const element = useRef<HTMLFormElement>(null);
  const isReady = state === 'ready';

  // After a rejection, focus the first invalid field and scroll to it.
  useEffect(() => {
    if (rejections > 0 && element.current) focusFirstProblem(element.current);
  }, [rejections]);

  useEffect(() => {
    if (isReady && takesFocus && matchMedia('(pointer: fine)').matches)
      element.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
  }, [isReady, takesFocus]);

  return {
    element,
    /** For the next object, focuses the first field unless a field is invalid. */
    focusNext() {
      if (!element.current?.querySelector('[aria-invalid="true"]'))
        element.current?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    },
  };
}

/** Draws a form: one card with a section for each group, and a sticky bar of buttons. */
export function ResourceForm({
  form,
  groups,
  overrides = {},
  extra,
  notice,
  line,
  onCancel,
  submitText = common.submit,
  canAddAnother = false,
  takesFocus = false,
}: ResourceFormProps) {
  const { element, focusNext } = useFormFocus(form, takesFocus);
  const { otherErrors } = form;
  const connection = useConnection();

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
      !isEnter(event) ||
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
    focusNext();
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
      {form.isOutdated && (
        <div className={styles.outdated} role="status">
          {t(words.outdated)}
          <Button variant="default" size="xs" onClick={() => location.reload()}>
            {t(common.reload)}
          </Button>
        </div>
      )}
      {otherErrors.length > 0 && (
        <Alert color="red" title={t(words.otherProblems)} mb="md" role="alert">
          <List size="sm">
            {otherErrors.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <div className={styles.card}>
        {groups.map((group) => (
          <FormSection
            key={group.title.en}
            form={form}
            group={group}
            overrides={overrides}
            isOnly={groups.length === 1}
          />
        ))}
        {notice && <div className={styles.notice}>{notice}</div>}
      </div>
      <FormBar
        form={form}
        submitText={submitText}
        onCancel={onCancel}
        onAddAnother={canAddAnother && !form.updating ? () => void addAnother() : undefined}
        line={line}
        extra={extra}
      />
    </form>
  );
}
