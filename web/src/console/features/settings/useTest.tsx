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

/**
 * Tests the values of a form through an API endpoint. Disabled while saving: the form remounts
 * afterwards and would lose the answer.
 */
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

/** Sends a test mail with the values of the form. */
export const useMailTest = (form: FormModel) => useTestAlone(form, 'settings/mail/testing/');

/** Tests the OpenID Connect provider with the values of the form. */
export const useOpenidTest = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/openid/testing/'),
  dialogs: <ProviderLinks source="openid" />,
});

/** Tests the SAML provider with the values of the form. */
export const useSamlTest = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/saml/testing/'),
  dialogs: <ProviderLinks source="saml" />,
});

/** Tests the CAS server with the values of the form. */
export const useCasTest = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/cas/testing/'),
  dialogs: <ProviderLinks source="cas" />,
});

/** Adds the SCIM tokens of identity providers below the form. */
export const useScimTokens = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/scim/testing/'),
  dialogs: <ScimTokens />,
});
