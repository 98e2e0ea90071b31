import { Fragment, type ReactNode } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { isBlank } from './form-state.ts';
import { labelOf } from './labels.ts';
import styles from './Summary.module.css';
import type { FormGroup } from './spec.ts';
import type { FormModel } from './useForm.ts';
import { isStated } from './ValuesLine.tsx';
import { ValueText } from './ValueText.tsx';
import { words } from './words.ts';

interface FormSummaryProps {
  readonly form: FormModel;
  readonly groups: readonly FormGroup[];
  /** Title of the resource, such as “Asset”. */
  readonly what: string;
  /** Replaces the list of values. */
  readonly body?: ReactNode;
  /** Consequences of saving, below the values. */
  readonly notice?: ReactNode;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Returns the visible fields that a summary names: stated ones, or changed ones of an object. */
export function summarized(form: FormModel, groups: readonly FormGroup[]): readonly string[] {
  return groups
    .flatMap((group) => group.fields.map((name) => ({ name, isFolded: group.isFolded === true })))
    .filter(({ name, isFolded }) => {
      const field = form.fields[name];
      if (!field || form.isHidden(name) || form.isControl(name)) return false;
      const isChanged = !isSame(form.values[name], form.start[name]);
      return form.updating || isFolded ? isChanged : isStated(field, form.values[name]);
    })
    .map(({ name }) => name);
}

/** Returns the labels of the required fields that are still blank. */
export function missing(form: FormModel, groups: readonly FormGroup[]): readonly string[] {
  return groups
    .flatMap((group) => group.fields)
    .filter((name) => form.isRequired(name) && !form.isHidden(name) && isBlank(form.values[name]))
    .flatMap((name) => form.fields[name] ?? [])
    .map(labelOf);
}

function Facts({
  form,
  names,
}: Pick<FormSummaryProps, 'form'> & { readonly names: readonly string[] }) {
  if (names.length === 0)
    return <p className={styles.quiet}>{t(form.updating ? words.noChanges : words.nothingYet)}</p>;
  return (
    <dl className={styles.facts}>
      {names.map((name) => {
        const field = form.fields[name];
        const [old, value] = [form.start[name], form.values[name]];
        return (
          field && (
            <Fragment key={name}>
              <dt>{labelOf(field)}</dt>
              <dd>
                {form.updating && !isBlank(old) && field.kind !== 'secret' && (
                  <>
                    <del>
                      <ValueText field={field} value={old} />
                    </del>{' '}
                  </>
                )}
                {isBlank(value) ? t(words.removed) : <ValueText field={field} value={value} />}
              </dd>
            </Fragment>
          )
        );
      })}
    </dl>
  );
}

/** Says what saving a form creates or changes, next to the form. */
export function FormSummary({ form, groups, what, body, notice }: FormSummaryProps) {
  const names = summarized(form, groups);
  const lacks = missing(form, groups);
  return (
    <div className={styles.panel}>
      <div className={styles.title}>
        {form.updating ? t(body ? words.afterSaving : words.changes) : t(words.creates, { what })}
      </div>
      {body ?? <Facts form={form} names={names} />}
      {notice && <div className={styles.notice}>{notice}</div>}
      {lacks.length > 0 && (
        <p className={styles.lacks}>{t(words.lacks, { fields: lacks.join(t(words.comma)) })}</p>
      )}
    </div>
  );
}

/** The summary in one line, for narrow screens. */
export function SummaryText({ form, groups, what }: FormSummaryProps): ReactNode {
  const lacks = missing(form, groups);
  if (lacks.length > 0) return t(words.lacks, { fields: lacks.join(t(words.comma)) });
  const names = summarized(form, groups);
  if (form.updating) {
    const labels = names.flatMap((name) => form.fields[name] ?? []).map(labelOf);
    return labels.length === 0
      ? t(words.noChanges)
      : `${t(words.changes)}: ${labels.join(t(words.comma))}`;
  }
  return (
    <>
      {t(words.creates, { what })}
      {names.map((name) => {
        const field = form.fields[name];
        return (
          field &&
          field.kind !== 'boolean' && (
            <Fragment key={name}>
              {' · '}
              <ValueText field={field} value={form.values[name]} />
            </Fragment>
          )
        );
      })}
    </>
  );
}
