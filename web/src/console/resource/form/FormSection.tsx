import type { Field, LocalText } from '@sallyport/contract';
import { type ReactNode, useId, useState } from 'react';
import { BASE_PATH } from '../../../kit/base-path.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconChevronRight, IconHelp } from '../../../kit/icons.ts';
import { HELP } from '../../base/addresses.ts';
import { FieldWidget } from './FieldWidget.tsx';
import styles from './Form.module.css';
import { guideOf } from './guide-places.ts';
import { labelOf } from './labels.ts';
import type { FieldOverride, FieldOverrides, FormGroup } from './spec.ts';
import type { FormModel } from './useForm.ts';
import { ValuesLine } from './ValuesLine.tsx';
import { isWide } from './widgets.ts';
import { words } from './words.ts';

interface GuideLinkProps {
  readonly label: string;
  /** Anchor in the operator guide, by language. */
  readonly place: LocalText;
}

/** Opens the operator guide at the explanation of a field, in a separate window: the form stays. */
function GuideLink({ label, place }: GuideLinkProps) {
  const name = t(words.explain, { label });
  return (
    <a
      className={styles.guide}
      href={`${BASE_PATH}${HELP.docs}?guide=operator#${encodeURIComponent(t(place))}`}
      target="_blank"
      rel="noopener"
      aria-label={name}
      title={name}
    >
      <IconHelp size={15} />
    </a>
  );
}

interface FormFieldProps {
  readonly form: FormModel;
  readonly name: string;
  readonly override: FieldOverride | undefined;
}

/** Returns true if a field, or a member of it, has a problem. */
const isWrong = (form: FormModel, name: string): boolean =>
  Object.keys(form.errors).some((path) => path === name || path.startsWith(`${name}.`));

/** The field without the choices that are not offered. */
const withOffers = (field: Field, isOffered: (choice: unknown) => boolean): Field =>
  field.kind === 'choice'
    ? { ...field, choices: field.choices.filter(({ value }) => isOffered(value)) }
    : field;

/** A field of a form: its control, its problem, and the link to its explanation. */
function FormField({ form, name, override }: FormFieldProps) {
  const field = form.fields[name];
  if (!field) return null;
  const Widget = override?.widget ?? FieldWidget;
  const refusal = override?.refusal?.(form.object);
  const help = override?.help ?? field.help;
  const label = labelOf(field);
  const guide = override?.guide ?? guideOf(field);
  const wide = override?.isWide ?? isWide(field);
  return (
    <div
      className={wide ? `${styles.field} ${styles.wide}` : styles.field}
      {...(isWrong(form, name) && { 'data-problem': true })}
    >
      <Widget
        name={name}
        field={withOffers(
          field,
          (choice) =>
            choice === form.values[name] || (override?.offers?.(choice, form.values) ?? true),
        )}
        label={label}
        help={refusal ?? (help && t(help))}
        required={form.isRequired(name)}
        disabled={
          form.readOnly !== undefined ||
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
      {guide && <GuideLink label={label} place={guide} />}
    </div>
  );
}

interface FormSectionProps {
  readonly form: FormModel;
  readonly group: FormGroup;
  readonly overrides: FieldOverrides;
  readonly isOnly: boolean;
}

const gridOf = ({ columns }: FormGroup) =>
  columns === 3 ? `${styles.fields} ${styles.three}` : styles.fields;

interface FrameProps {
  readonly group: FormGroup;
  /** Number of fields: one needs no heading. */
  readonly count: number;
  /** The only section of its form needs no heading either. */
  readonly isOnly: boolean;
  readonly children: ReactNode;
}

/** The frame of a section, also while values load. */
export function SectionFrame({ group, count, isOnly, children }: FrameProps) {
  if (count < 2 || isOnly)
    return (
      <div className={`${styles.section} ${styles.open}`}>
        <div className={count < 2 ? `${styles.fields} ${styles.one}` : gridOf(group)}>
          {children}
        </div>
      </div>
    );
  return (
    <section className={`${styles.section} ${styles.open}`} aria-label={t(group.title)}>
      <h2 className={styles.title}>{t(group.title)}</h2>
      <div className={gridOf(group)}>{children}</div>
    </section>
  );
}

/** The heading of a folded section: a button, and the values inside in one line. */
export function FoldTitle({
  group,
  isOpen,
  content,
  onToggle,
  children,
}: {
  readonly group: FormGroup;
  readonly isOpen: boolean;
  readonly content?: string;
  readonly onToggle?: () => void;
  readonly children?: ReactNode;
}) {
  const inside = useId();
  return (
    <div className={styles.foldRow}>
      <h2 className={styles.foldTitle}>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-controls={content}
          aria-describedby={inside}
          onClick={onToggle}
        >
          <IconChevronRight size={16} />
          {t(group.title)}
        </button>
      </h2>
      <span className={styles.inside} id={inside}>
        {!isOpen && children}
      </span>
    </div>
  );
}

function FoldedSection({
  form,
  group,
  names,
  children,
}: Omit<FormSectionProps, 'overrides' | 'isOnly'> & {
  readonly names: readonly string[];
  readonly children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const content = useId();
  // Opens in the same render as the problem appears, so the form can focus the field.
  const hasProblem = names.some((name) => isWrong(form, name));
  if (hasProblem && !isOpen) setOpen(true);
  return (
    <section className={styles.section} aria-label={t(group.title)}>
      <FoldTitle group={group} isOpen={isOpen} content={content} onToggle={() => setOpen(!isOpen)}>
        <ValuesLine form={form} names={names} />
      </FoldTitle>
      <div id={content} className={`${gridOf(group)} ${styles.folded}`} hidden={!isOpen}>
        {children}
      </div>
    </section>
  );
}

/** A section of a form with the visible fields of a group; nothing if all are hidden. */
export function FormSection({ form, group, overrides, isOnly }: FormSectionProps) {
  const names = group.fields.filter((name) => form.fields[name] && !form.isHidden(name));
  if (names.length === 0) return null;
  const fields = names.map((name) => (
    <FormField key={name} form={form} name={name} override={overrides[name]} />
  ));
  return group.isFolded ? (
    <FoldedSection form={form} group={group} names={names}>
      {fields}
    </FoldedSection>
  ) : (
    <SectionFrame group={group} count={names.length} isOnly={isOnly}>
      {fields}
    </SectionFrame>
  );
}
