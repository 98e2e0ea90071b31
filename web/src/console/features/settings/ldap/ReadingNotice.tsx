import { Alert, Button, Text } from '@mantine/core';
import type { LdapReading } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { askFirst } from '../../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { words } from '../words.ts';

const URL = 'settings/ldap/reading/';
/** Maximum number of users that the notice names. */
const MAX_NAMED = 20;

/**
 * A failing read of the directory, or one that would end the access of many users; renders nothing
 * otherwise.
 */
export function ReadingNotice() {
  const client = useQueryClient();
  const queryKey = ['ldap-reading'];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.get<LdapReading>(URL, { signal, quiet: true }),
    staleTime: 0,
  });
  if (!data) return null;
  const { held, failing_since: since, reason } = data;
  const confirm = () =>
    held &&
    askFirst({
      message: t(words.heldQuestion, { count: held.count }),
      confirm: t(words.heldConfirm),
      danger: true,
      success: t(words.heldDone),
      run: async () => {
        await api.post(`${URL}confirm/`, { reading: held.id });
        await client.invalidateQueries({ queryKey });
      },
    });
  return (
    <>
      {since && (
        <Alert color="red" title={t(words.readFailing, { date: formatDate(since) })} mb="md">
          {reason}
        </Alert>
      )}
      {held && (
        <Alert
          color="yellow"
          title={t(words.heldTitle, { count: held.count, of: held.of })}
          mb="md"
        >
          {held.recent > 0 && (
            <Text fz="sm" mb={8}>
              {t(words.heldRecent, { recent: held.recent })}
            </Text>
          )}
          <ul style={{ margin: '0 0 8px', paddingInlineStart: 20 }}>
            {held.people.slice(0, MAX_NAMED).map(({ username, name, state_display: state }) => (
              <li key={username}>
                <Text component="span" fw={500} fz="sm">{`${name}(${username})`}</Text>
                {` · ${state}`}
              </li>
            ))}
            {held.count > MAX_NAMED && (
              <li>{t(words.heldMore, { count: held.count - MAX_NAMED })}</li>
            )}
          </ul>
          <Button size="xs" color="red" onClick={confirm}>
            {t(words.heldConfirm)}
          </Button>
        </Alert>
      )}
    </>
  );
}
