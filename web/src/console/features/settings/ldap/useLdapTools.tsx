import { Alert, Button, Text } from '@mantine/core';
import type { LdapPeriodic } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import type { FormModel } from '../../../resource/form/useForm.ts';
import type { CategoryExtras } from '../CategoryForm.tsx';
import { LoginDialog } from '../LoginDialog.tsx';
import { useTest } from '../useTest.tsx';
import { words } from '../words.ts';
import { ImportDialog } from './ImportDialog.tsx';
import { ReadingNotice } from './ReadingNotice.tsx';

/** Maximum number of skipped users listed here; the server log lists all. */
const MAX_NAMED = 10;

/** The result of the last periodic import; renders nothing before the first one. */
function PeriodicNotice() {
  const { data } = useQuery({
    queryKey: ['ldap-periodic'],
    queryFn: ({ signal }) =>
      api.get<LdapPeriodic>('settings/ldap/periodic/', { signal, quiet: true }),
    staleTime: 0,
  });
  if (!data?.date_done) return null;
  const { created, updated, unchanged, refused, reason } = data;
  return (
    <Alert
      color={reason ? 'red' : refused.length > 0 ? 'yellow' : 'teal'}
      title={t(words.lastPeriodic, { date: formatDate(data.date_done) })}
      mb="md"
    >
      {reason || t(words.periodicCounts, { created, updated, unchanged, refused: refused.length })}
      {refused.length > 0 && (
        <ul style={{ margin: '8px 0 0', paddingInlineStart: 20 }}>
          {refused.slice(0, MAX_NAMED).map((one) => (
            <li key={one.username}>
              <Text component="span" fw={500} fz="sm">
                {one.username}
              </Text>
              {`: ${one.reason}`}
            </li>
          ))}
          {refused.length > MAX_NAMED && (
            <li>{t(words.periodicMore, { count: refused.length - MAX_NAMED })}</li>
          )}
        </ul>
      )}
    </Alert>
  );
}

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
        <ReadingNotice />
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
