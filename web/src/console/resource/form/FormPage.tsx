import { Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { Fields } from '@sallyport/contract';
import { type ReactNode, useId, useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconChevronRight } from '../../../kit/icons.ts';
import { DASHBOARD_PATH } from '../../base/addresses.ts';
import { useGo, useObjectId, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { currentTabs, setTabs } from '../../base/tabs/store.ts';
import { closed } from '../../base/tabs/tab-list.ts';
import { PageHeader } from '../PageHeader.tsx';
import { nameIn, type Source } from '../source.ts';
import { LIKE } from './copied.ts';
import styles from './Form.module.css';
import { FormSummary, SummaryText } from './FormSummary.tsx';
import type { FormValues } from './form-state.ts';
import { ResourceForm } from './ResourceForm.tsx';
import lineStyles from './Summary.module.css';
import type { FieldName, FieldOverrides, FormGroup } from './spec.ts';
import { useAfterCreating } from './useAfterCreating.ts';
import { useResourceForm } from './useResourceForm.ts';
import { words } from './words.ts';

/** A summary of one resource, next to the form, and in one line on narrow screens. */
export interface Summary {
  readonly body: (values: FormValues) => ReactNode;
  readonly line: (values: FormValues) => ReactNode;
}

/** A page to open. */
interface Target {
  readonly path: string;
  readonly search?: Readonly<Record<string, string>>;
}

export interface FormPageProps<F extends Fields, Own extends string> {
  readonly source: Source & { readonly fields: F };
  readonly groups: readonly FormGroup<FieldName<F, NoInfer<Own>>>[];
  readonly overrides?: FieldOverrides;
  readonly initial?: FormValues;
  /** Content above the fields; `object` holds the stored values and is empty for a new object. */
  readonly lead?: (values: FormValues, object: FormValues) => ReactNode;
  /** Effect of saving, next to the form; defaults to a list of the values. */
  readonly summary?: Summary;
  /**
   * Consequences of saving, in the summary or above the buttons of a narrow screen; `dirty` is true
   * after a change, and `set` changes a field.
   */
  readonly notice?: (
    values: FormValues,
    dirty: boolean,
    set: (name: string, value: unknown) => void,
  ) => ReactNode;
  /** Runs before saving. False cancels; values replace the values to save. */
  readonly agree?: (values: FormValues, updating: boolean) => Promise<boolean | FormValues>;
  readonly listSearch?: Readonly<Record<string, string>>;
  /**
   * Target after save and cancel, for objects listed on the page of another object; defaults to the
   * list.
   */
  readonly leadsTo?: (values: FormValues) => Target;
  /** Starts what follows a saved object. Returns the page to open instead of the usual one. */
  readonly afterSaving?: (saved: unknown, values: FormValues) => Promise<Target | undefined>;
  /** Offers to save and add another object; true by default. */
  readonly canAddAnother?: boolean;
  readonly toBody?: (body: Record<string, unknown>, values: FormValues) => Record<string, unknown>;
}

/**
 * The generic form page: updates the object named by the id in the address, or creates one without
 * an id.
 */
export function FormPage<const F extends Fields, Own extends string = never>({
  source,
  groups,
  overrides,
  initial,
  lead,
  summary,
  notice,
  agree,
  listSearch,
  leadsTo,
  afterSaving,
  toBody,
  canAddAnother = true,
}: FormPageProps<F, Own>) {
  const id = useObjectId();
  const go = useGo();
  const { guide, [LIKE]: like } = useSearchRecord();
  const here = usePath();
  const announce = useAfterCreating(source);
  const usualTarget = (): Target => {
    // A form opened from the setup guide returns to the guide.
    if (guide) return { path: DASHBOARD_PATH };
    const list = { path: pagesOf(source.name).list, ...(listSearch && { search: listSearch }) };
    return leadsTo?.(form.values) ?? list;
  };
  const leave = async ({ path, search }: Target) => {
    await go(path, { ...(search && { search }) });
    // Keep the tab if the user stays because of unsaved changes.
    if (!location.pathname.endsWith(here)) setTabs(closed(currentTabs(), here));
  };
  const form = useResourceForm(source, id, {
    groups,
    ...(overrides && { overrides }),
    ...(initial && { initial }),
    like: source.copyWithout && like,
    ...(toBody && { toBody }),
    ...(agree && { agree }),
    onSaved: async (saved) => leave((await afterSaving?.(saved, form.values)) ?? usualTarget()),
    // The guide itself shows the next step.
    ...(!guide && { announce }),
  });
  const isWide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const isReady = form.state === 'ready';
  const summarized = { form, groups, what: t(source.title) };
  const consequences = isReady && notice?.(form.values, form.dirty, form.set);
  const panel = isReady && (
    <FormSummary
      {...summarized}
      {...(summary && { body: summary.body(form.values) })}
      notice={isWide && consequences}
    />
  );
  return (
    <>
      <PageHeader onBack={() => history.back()} />
      {isReady && form.copied && (
        <Text fz="sm" c="dimmed" mb="sm">
          {t(words.copied, { name: nameIn(source, form.copied) })}
        </Text>
      )}
      {isReady && lead?.(form.values, form.object)}
      <div className={styles.page}>
        <ResourceForm
          form={form}
          groups={groups}
          {...(overrides && { overrides })}
          onCancel={() => void leave(usualTarget())}
          notice={!isWide && consequences}
          {...(isReady &&
            !isWide && {
              line: (
                <SummaryLine
                  name={t(words.summary)}
                  line={summary?.line(form.values) ?? <SummaryText {...summarized} />}
                >
                  {panel}
                </SummaryLine>
              ),
            })}
          canAddAnother={canAddAnother}
          takesFocus={!id}
        />
        {isWide && isReady && (
          <aside className={styles.summary} aria-label={t(words.summary)}>
            {panel}
          </aside>
        )}
      </div>
    </>
  );
}

interface SummaryLineProps {
  readonly name: string;
  /** The summary in one line. */
  readonly line: ReactNode;
  /** The complete summary, which the line opens. */
  readonly children: ReactNode;
}

/** One line above the buttons of a form on narrow screens; opens the complete summary. */
function SummaryLine({ name, line, children }: SummaryLineProps) {
  const [isOpen, setOpen] = useState(false);
  const content = useId();
  return (
    <div className={lineStyles.narrow}>
      {isOpen && (
        <div id={content} className={lineStyles.opened}>
          {children}
        </div>
      )}
      <button
        type="button"
        className={lineStyles.line}
        aria-expanded={isOpen}
        aria-controls={isOpen ? content : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={14} />
        <span>
          <VisuallyHidden>{name}: </VisuallyHidden>
          {line}
        </span>
      </button>
    </div>
  );
}
