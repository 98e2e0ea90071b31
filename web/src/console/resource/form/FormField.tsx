import { t } from '../../../kit/i18n/index.ts';
import { FieldWidget } from './FieldWidget.tsx';
import styles from './Form.module.css';
import { GuideLink } from './GuideLink.tsx';
import { guideOf } from './guide-places.ts';
import { labelOf } from './labels.ts';
import type { FieldOverride } from './spec.ts';
import type { FormModel } from './useForm.ts';
import { isWide } from './widgets.ts';

interface FormFieldProps {
  readonly form: FormModel;
  readonly name: string;
  readonly override: FieldOverride | undefined;
}

/** Returns true if a field, or a member of it, has a problem. */
export const isWrong = (form: FormModel, name: string): boolean =>
  Object.keys(form.errors).some((path) => path === name || path.startsWith(`${name}.`));

/** A field of a form: its control, its problem, and the link to its explanation. */
export function FormField({ form, name, override }: FormFieldProps) {
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
        field={field}
        label={label}
        help={refusal ?? (help && t(help))}
        required={form.isRequired(name)}
        disabled={
          refusal !== undefined || (override?.disabled?.(form.values, form.updating) ?? false)
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
