import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { FormModel } from '../../resource/form/useForm.ts';
import type { CategoryExtras } from './CategoryForm.tsx';
import { formAsItStands, tryOut, type Verdict, VerdictNotice } from './verdict.tsx';
import { words } from './words.ts';

/** Trying out a form at an address. */
export function useTest(form: FormModel, url: string) {
  const [busy, setBusy] = useState(false);
  const [verdict, setVerdict] = useState<Verdict>();
  async function test() {
    setBusy(true);
    setVerdict(undefined);
    setVerdict(
      await tryOut(
        () => api.post(url, formAsItStands(form), { query: { detail: 1 }, quiet: true }),
        (name) => {
          const field = form.fields[name];
          return field ? t(field.label) : name;
        },
      ).finally(() => setBusy(false)),
    );
  }
  return {
    button: (
      <Button variant="default" loading={busy} onClick={() => void test()}>
        {t(words.testConnection)}
      </Button>
    ),
    notice: <VerdictNotice verdict={verdict} />,
  };
}

function useTestAlone(form: FormModel, url: string): CategoryExtras {
  const { button, notice } = useTest(form, url);
  return { buttons: button, notice };
}

/** Sends a mail by what stands in the form. */
export const useMailTest = (form: FormModel) => useTestAlone(form, 'settings/mail/testing/');

/** Asks the provider of OpenID Connect by what stands in the form. */
export const useOpenidTest = (form: FormModel) => useTestAlone(form, 'settings/openid/testing/');
