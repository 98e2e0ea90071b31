import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { FormModel } from '../../resource/form/useForm.ts';
import type { CategoryExtras } from './CategoryForm.tsx';
import { ProviderLinks } from './ProviderLinks.tsx';
import { ScimTokens } from './ScimTokens.tsx';
import { formAsItStands, tryOut, type Verdict, VerdictNotice } from './verdict.tsx';
import { words } from './words.ts';

/** Trying out a form at an address. Not while it is saved: the form begins again after that, and the answer would be lost. */
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
      <Button variant="default" loading={busy} disabled={form.saving} onClick={() => void test()}>
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

/** Sends a mail with the values of the form. */
export const useMailTest = (form: FormModel) => useTestAlone(form, 'settings/mail/testing/');

/** Asks the provider of OpenID Connect with the values of the form. */
export const useOpenidTest = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/openid/testing/'),
  dialogs: <ProviderLinks source="openid" />,
});

/** Asks the SAML provider by the values of the form. */
export const useSamlTest = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/saml/testing/'),
  dialogs: <ProviderLinks source="saml" />,
});

/** Asks the CAS server by the values of the form. */
export const useCasTest = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/cas/testing/'),
  dialogs: <ProviderLinks source="cas" />,
});

/** The tokens of identity providers, below the form. */
export const useScimTokens = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/scim/testing/'),
  dialogs: <ScimTokens />,
});
