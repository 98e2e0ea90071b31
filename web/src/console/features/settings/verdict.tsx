import { Alert, Text } from '@mantine/core';
import type { TestStep } from '@sallyport/contract';
import { ApiError } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconCheck, IconX } from '../../../kit/icons.ts';
import { isBlank } from '../../resource/form/form-state.ts';
import type { FormModel } from '../../resource/form/useForm.ts';
import styles from './Settings.module.css';
import { words } from './words.ts';

/** The result of a test. */
export interface Verdict {
  readonly isGood: boolean;
  readonly text: string;
  readonly steps: readonly TestStep[];
}

interface Answer {
  readonly msg: string;
  readonly steps?: readonly TestStep[];
}

const stepsOf = (body: unknown) =>
  typeof body === 'object' && body !== null && 'steps' in body && Array.isArray(body.steps)
    ? (body.steps as TestStep[])
    : [];

/**
 * Runs a test. An error is a verdict too, with the server's message. `labelOf` returns the label of
 * a field.
 */
export async function tryOut(
  call: () => Promise<Answer>,
  labelOf: (name: string) => string,
): Promise<Verdict> {
  try {
    const { msg, steps = [] } = await call();
    return { isGood: true, text: msg, steps };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const perField = Object.entries(error.fields ?? {}).map(
      ([name, texts]) => `${labelOf(name)}: ${texts.join('; ')}`,
    );
    return {
      isGood: false,
      text: perField.length > 0 ? perField.join('\n') : error.message,
      steps: stepsOf(error.body),
    };
  }
}

/**
 * The form's values, saved or not. Empty secrets are left out: the server then uses the stored
 * ones.
 */
export function formAsItStands({ values, fields }: FormModel): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => !(fields[name]?.kind === 'secret' && isBlank(value)),
    ),
  );
}

/** The result in the server's words, with its steps if any. */
export function VerdictNotice({ verdict }: { readonly verdict: Verdict | undefined }) {
  if (!verdict) return null;
  return (
    <Alert
      color={verdict.isGood ? 'green' : 'red'}
      title={t(verdict.isGood ? words.testSucceeded : words.testFailed)}
      role={verdict.isGood ? 'status' : 'alert'}
      mb="md"
      // Scroll into view: the bar at the bottom would cover the result.
      ref={(element) => element?.scrollIntoView({ block: 'nearest' })}
      className={styles.verdict ?? ''}
    >
      {verdict.text}
      {verdict.steps.length > 0 && (
        <ol className={styles.steps}>
          {verdict.steps.map(({ step, label, ok, detail, milliseconds }) => (
            <li key={step}>
              {ok ? (
                <IconCheck size={16} role="img" aria-label={t(words.stepGood)} />
              ) : (
                <IconX size={16} role="img" aria-label={t(words.stepBad)} />
              )}
              <span>{label}</span>
              <span>{detail}</span>
              <Text component="span" c="dimmed" fz="sm">
                {milliseconds} ms
              </Text>
            </li>
          ))}
        </ol>
      )}
    </Alert>
  );
}
