import { Alert, Button } from '@mantine/core';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { isBlank } from '../../resource/form/form-state.ts';
import type { ResourceFormModel } from '../../resource/form/useResourceForm.ts';
import type { CategoryExtras } from './CategoryForm.tsx';
import { words } from './words.ts';

interface Verdict {
  readonly isGood: boolean;
  readonly text: string;
}

/** A refusal as sentences, each with the name that its field has on the page. */
function sentencesOf(error: ApiError, form: ResourceFormModel): string {
  const perField = Object.entries(error.fields ?? {}).map(([name, texts]) => `${form.metadata[name]?.label ?? name}: ${texts.join('; ')}`);
  return perField.length > 0 ? perField.join('\n') : error.message;
}

/** Sends a mail by what stands in the form, saved or not, and shows the server's words. */
export function useMailTest(form: ResourceFormModel): CategoryExtras {
  const [busy, setBusy] = useState(false);
  const [verdict, setVerdict] = useState<Verdict>();

  async function test() {
    setBusy(true);
    setVerdict(undefined);
    try {
      const body = Object.fromEntries(Object.entries(form.values).filter(([name, value]) => !(form.metadata[name]?.write_only && isBlank(value))));
      const { msg } = await api.post<{ msg: string }>('settings/mail/testing/', body, { quiet: true });
      setVerdict({ isGood: true, text: msg });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setVerdict({ isGood: false, text: sentencesOf(error, form) });
    } finally {
      setBusy(false);
    }
  }

  return {
    buttons: (
      <Button variant="default" loading={busy} onClick={() => void test()} mr="auto">
        {t(words.testConnection)}
      </Button>
    ),
    notice: verdict && (
      <Alert
        color={verdict.isGood ? 'green' : 'red'}
        title={t(verdict.isGood ? words.testSucceeded : words.testFailed)}
        role={verdict.isGood ? 'status' : 'alert'}
        mb="md"
        // The bar at the bottom must not cover the answer.
        ref={(element) => element?.scrollIntoView({ block: 'nearest' })}
        style={{ scrollMarginBottom: 90, whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}
      >
        {verdict.text}
      </Alert>
    ),
  };
}
