import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import type { FormModel } from '../../resource/form/useForm.ts';
import {
  type CategoryAddition,
  type CategoryExtras,
  LoginDialog,
  settingWords,
  useTest,
} from '../settings/index.ts';

/** Actions on RADIUS servers: test the form's values, test a sign-in. */
function useRadiusTools(form: FormModel): CategoryExtras {
  const { button, notice } = useTest(form, 'settings/radius/testing/config/');
  const [isOpen, setIsOpen] = useState(false);
  return {
    buttons: (
      <>
        {button}
        <Button variant="default" disabled={form.saving} onClick={() => setIsOpen(true)}>
          {t(settingWords.testLogin)}
        </Button>
      </>
    ),
    notice,
    dialogs: isOpen && (
      <LoginDialog url="settings/radius/testing/login/" onClose={() => setIsOpen(false)} />
    ),
  };
}

export const radiusSettings: CategoryAddition = {
  formTitle: settingWords.servers,
  useExtras: useRadiusTools,
};
