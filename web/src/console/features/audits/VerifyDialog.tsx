import { Alert, Button, Group, Loader, Modal, Stack, Table, Text } from '@mantine/core';
import { RESOURCES } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { formatNumber } from '../../../kit/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconShieldCheck } from '../../../kit/icons.ts';
import { YesNo } from '../../resource/list/columns.tsx';
import { VERIFICATION_KEY } from './useVerification.ts';
import { words } from './words.ts';

interface LogVerdict {
  readonly log: string;
  readonly rows: number;
  readonly removed: number;
  readonly first_break: number | null;
  readonly last_break: number | null;
}

/** POST audits/verify/ */
interface Verdict {
  readonly intact: boolean;
  readonly logs: readonly LogVerdict[];
}

function logName(log: string): string {
  const resource = RESOURCES.find(({ name }) => name === log);
  return resource ? t(resource.title) : log;
}

/** Where a log does not hold. */
function place({ first_break: first, last_break: last }: LogVerdict): string {
  const [from, to] = [formatNumber(first ?? 0), formatNumber(last ?? 0)];
  return first === last ? t(words.brokenAt, { number: from }) : t(words.brokenWithin, { first: from, last: to });
}

function Logs({ logs }: Pick<Verdict, 'logs'>) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t(words.log)}</Table.Th>
          <Table.Th ta="right">{t(words.rows)}</Table.Th>
          <Table.Th>{t(words.result)}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {logs.map((verdict) => (
          <Table.Tr key={verdict.log}>
            <Table.Td>{logName(verdict.log)}</Table.Td>
            <Table.Td ta="right" className="mono">
              {formatNumber(verdict.rows)}
            </Table.Td>
            <Table.Td>
              {verdict.first_break === null ? (
                <YesNo value yes={t(words.intact)} />
              ) : (
                // A whole sentence, which must not be cut on a phone.
                <Group gap={4} wrap="nowrap" align="flex-start" c="var(--mantine-color-red-text)">
                  <IconAlertTriangle size={16} aria-hidden="true" style={{ flex: 'none', marginTop: 3 }} />
                  <span>{place(verdict)}</span>
                </Group>
              )}
              {verdict.removed > 0 && (
                <Text fz="xs" c="dimmed">
                  {t(words.removed, { count: verdict.removed })}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** Lets the server recompute the chains of all logs, and shows for each log whether it is intact, or where the first difference is. */
export function VerifyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const verdict = useQuery({
    queryKey: ['audits', 'verify'],
    queryFn: async ({ signal }) => {
      const answer = await api.post<Verdict>('audits/verify/', {}, { signal, quiet: true });
      void client.invalidateQueries({ queryKey: VERIFICATION_KEY });
      return answer;
    },
    // An old proof proves nothing, and a long log is not walked because somebody came back to the window.
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data, error, isFetching } = verdict;
  return (
    <Modal opened onClose={onClose} title={t(words.verifyTitle)} size="lg">
      <Stack>
        <Text c="dimmed" fz="sm">
          {t(words.verifyHint)}
        </Text>
        {isFetching && (
          <Group gap="xs" role="status" mih={40}>
            <Loader size="sm" aria-hidden="true" />
            {t(words.verifying)}
          </Group>
        )}
        {!isFetching && error && (
          <Alert color="red" role="alert" icon={<IconAlertTriangle size={16} />} title={t(words.verifyFailed)}>
            {error.message}
          </Alert>
        )}
        {!isFetching && !error && data && (
          <>
            <Alert
              color={data.intact ? 'green' : 'red'}
              role={data.intact ? 'status' : 'alert'}
              icon={data.intact ? <IconShieldCheck size={16} /> : <IconAlertTriangle size={16} />}
              title={t(data.intact ? words.allIntact : words.notIntact)}
            />
            <Logs logs={data.logs} />
          </>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(common.close)}
          </Button>
          <Button loading={isFetching} onClick={() => void verdict.refetch()}>
            {t(words.verifyAgain)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
