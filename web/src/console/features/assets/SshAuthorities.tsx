import { Group, Stack, Text } from '@mantine/core';
import { type Row, sshAuthority } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { Card, DetailCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { cacheKey } from '../../resource/source.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type SshAuthority = Row<typeof sshAuthority>;

const PATH = `${sshAuthority.path}/`;
/** The file that a push writes on targets. */
const FILE = '/etc/ssh/sallyport_user_ca.pub';
const CONFIG = `TrustedUserCAKeys ${FILE}`;

export function SshAuthorityList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.sshAuthorityHint)} />
      <ResourceList<SshAuthority>
        source={sshAuthority}
        columns={[
          { name: 'name' },
          {
            name: 'fingerprint',
            hidden: phone,
            cell: ({ fingerprint }) => <span className="mono">{fingerprint}</span>,
          },
          { name: 'date_created', width: 180, hidden: phone },
          { name: 'created_by', hidden: true },
          { name: 'comment', hidden: true },
        ]}
        hasDelete
        hasImport={false}
        emptyHint={t(words.emptySshAuthorities)}
      />
    </>
  );
}

export function SshAuthorityForm() {
  return (
    <FormPage
      source={sshAuthority}
      groups={[{ title: words.basic, fields: ['name', 'comment'] }]}
    />
  );
}

/** Text of a file on a target, with its path and a button that copies it. */
function TargetFile({ path, text }: { readonly path: string; readonly text: string }) {
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text fz="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {path}
        </Text>
        <CopyButton text={text} label={path} />
      </Group>
      <Text
        component="pre"
        fz="sm"
        my={4}
        className="mono"
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {text}
      </Text>
    </div>
  );
}

/** The files with which targets trust all authorities of the organization. */
function TrustCard() {
  const authorities = useQuery({
    queryKey: [...cacheKey(sshAuthority), 'trust'],
    queryFn: ({ signal }) => api.get<readonly SshAuthority[]>(PATH, { signal }),
  });
  const lines = authorities.data?.map(({ public_key: line }) => line) ?? [];
  return (
    <Card title={t(words.trustTitle)}>
      <Stack gap="sm" p="md">
        <Text fz="sm">{t(words.trustHint)}</Text>
        {authorities.isError ? (
          <LoadFailed error={authorities.error} onRetry={() => void authorities.refetch()} />
        ) : (
          <>
            <TargetFile path={FILE} text={lines.join('\n')} />
            <TargetFile path="/etc/ssh/sshd_config" text={CONFIG} />
            <Text fz="sm" c="dimmed">
              {t(words.trustReload)}
            </Text>
          </>
        )}
      </Stack>
    </Card>
  );
}

export function SshAuthorityDetail() {
  return (
    <DetailPage<SshAuthority>
      source={sshAuthority}
      hasDelete
      tabs={(object) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={sshAuthority}
                  object={object}
                  facts={[
                    'name',
                    {
                      name: 'fingerprint',
                      label: sshAuthority.fields.fingerprint.label,
                      value: ({ fingerprint }) => <span className="mono">{fingerprint}</span>,
                      isWide: true,
                    },
                    {
                      name: 'public_key',
                      label: sshAuthority.fields.public_key.label,
                      value: ({ public_key: line }) => (
                        <Group gap="xs" wrap="nowrap" align="flex-start">
                          <span className="mono" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
                            {line}
                          </span>
                          <CopyButton text={line} label={t(sshAuthority.fields.public_key.label)} />
                        </Group>
                      ),
                      isWide: true,
                    },
                    'date_created',
                    'created_by',
                    'comment',
                  ]}
                />
              }
              right={<TrustCard />}
            />
          ),
        },
      ]}
    />
  );
}
