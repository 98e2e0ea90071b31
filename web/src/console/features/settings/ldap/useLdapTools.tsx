import { Button } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import type { FormModel } from '../../../resource/form/useForm.ts';
import type { CategoryExtras } from '../CategoryForm.tsx';
import { LoginDialog } from '../LoginDialog.tsx';
import { useTest } from '../useTest.tsx';
import { words } from '../words.ts';
import { ImportDialog } from './ImportDialog.tsx';
import { PeriodicNotice } from './PeriodicNotice.tsx';

/** Actions on a directory: test the connection, test a sign-in, import users. */
export function useLdapTools(form: FormModel): CategoryExtras {
  const { button, notice } = useTest(form, 'settings/ldap/testing/config/');
  const [open, setOpen] = useState<'login' | 'import'>();
  const close = () => setOpen(undefined);
  return {
    buttons: (
      <>
        {button}
        <Button variant="default" disabled={form.saving} onClick={() => setOpen('login')}>
          {t(words.testLogin)}
        </Button>
        <Button variant="default" disabled={form.saving} onClick={() => setOpen('import')}>
          {t(words.bulkImport)}
        </Button>
      </>
    ),
    notice: (
      <>
        <PeriodicNotice />
        {notice}
      </>
    ),
    dialogs: (
      <>
        {open === 'login' && <LoginDialog url="settings/ldap/testing/login/" onClose={close} />}
        {open === 'import' && <ImportDialog onClose={close} />}
      </>
    ),
  };
}
