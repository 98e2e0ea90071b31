import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useSession } from '../../base/session.tsx';
import type { FormModel } from '../../resource/form/useForm.ts';
import { SiteAlert, siteElsewhere, siteWords } from '../site/index.ts';
import type { CategoryExtras } from './CategoryForm.tsx';
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

/** Adds a button that tests the values of a form. */
export function useTestAlone(form: FormModel, url: string): CategoryExtras {
  const { button, notice } = useTest(form, url);
  return { buttons: button, notice };
}

/** Asks for the address of this page, if links in mails begin with another one. */
export const useSiteUrl = (form: FormModel): CategoryExtras => {
  const here = location.origin;
  const isFixed = useSession().settings.MAIL_SITE === undefined;
  const site = isFixed ? undefined : siteElsewhere(String(form.values.SITE_URL ?? ''), here);
  return {
    buttons: null,
    notice: null,
    lead: site !== undefined && (
      <SiteAlert
        text={t(siteWords.siteDiffers, { site, here })}
        onUse={() => form.set('SITE_URL', here)}
      />
    ),
  };
};

/** Sends a test mail with the values of the form. */
export const useMailTest = (form: FormModel) => useTestAlone(form, 'settings/mail/testing/');

/** Adds the SCIM tokens of identity providers below the form. */
export const useScimTokens = (form: FormModel): CategoryExtras => ({
  ...useTestAlone(form, 'settings/scim/testing/'),
  dialogs: <ScimTokens />,
});
