import { eventReceiver, type Row } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { t } from '../../../kit/i18n/index.ts';
import { DetailCard, type Fact } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { objectUrl } from '../../resource/source.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

type Receiver = Row<typeof eventReceiver>;
type FormValues = Readonly<Record<string, unknown>>;

const SYSLOG = ['host', 'port', 'transport', 'framing'] as const;
/** Shows a port without thousands separators. */
const PORT: Fact<Receiver> = {
  name: 'port',
  label: eventReceiver.fields.port.label,
  value: ({ port }) => String(port),
};
const ORGANIZATIONS: Fact<Receiver> = {
  name: 'organizations',
  label: eventReceiver.fields.organizations.label,
  value: ({ organizations, default_organization: byDefault }) =>
    [
      ...(byDefault ? ['DEFAULT'] : []),
      ...(organizations.length > 0 ? [String(organizations.length)] : []),
    ].join(', ') || t(words.all),
};
const WEBHOOK = ['url', 'secret'] as const;
const KINDS = [
  'sends_sign_ins',
  'sends_operations',
  'sends_password_changes',
  'sends_files',
  'sends_sessions',
  'sends_alerts',
] as const;

/** Asks the server to send a test event, and shows the result. */
async function tryOut(id: string): Promise<void> {
  const { is_valid: isValid, msg } = await api.post<{ is_valid: boolean; msg: string }>(
    `${objectUrl(eventReceiver, id)}test/`,
  );
  if (isValid) toast.success(msg);
  else toast.error(msg);
}

export function EventReceiverList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <ResourceList<Receiver>
        source={eventReceiver}
        columns={[
          { name: 'name' },
          { name: 'type', width: 110 },
          { name: 'is_active', width: 90, hidden: phone },
          { name: 'backlog', width: 150, order: false, hidden: phone },
          { name: 'date_delivered', width: 190, order: false, hidden: phone },
          { name: 'problem', order: false, hidden: phone },
          { name: 'comment', hidden: true },
        ]}
        extraActions={(row) => [
          { key: 'test', label: t(words.test), run: () => void tryOut(row.id) },
        ]}
        hasBulkDelete={false}
        hasImport={false}
        hasExport={false}
        hasDelete
      />
    </>
  );
}

const OVERRIDES = {
  ...Object.fromEntries(
    SYSLOG.map((name) => [name, { hidden: ({ type }: FormValues) => type === 'webhook' }]),
  ),
  framing: {
    hidden: ({ type, transport }: FormValues) => type === 'webhook' || transport === 'udp',
  },
  ...Object.fromEntries(
    WEBHOOK.map((name) => [name, { hidden: ({ type }: FormValues) => type !== 'webhook' }]),
  ),
};

export function EventReceiverForm() {
  return (
    <FormPage
      source={eventReceiver}
      overrides={OVERRIDES}
      groups={[
        { title: words.receiver, fields: ['name', 'type', 'is_active'] },
        { title: words.place, fields: [...SYSLOG, ...WEBHOOK, 'ca_certificate'] },
        { title: words.contents, fields: [...KINDS, 'default_organization', 'organizations'] },
        moreOptions(['comment']),
      ]}
    />
  );
}

/** One event receiver: address, subscribed events and delivery progress. */
export function EventReceiverDetail() {
  return (
    <DetailPage<Receiver>
      source={eventReceiver}
      hasDelete
      tabs={(object) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={eventReceiver}
                  object={object}
                  facts={[
                    'name',
                    'type',
                    'is_active',
                    ...(object.type === 'webhook'
                      ? (['url'] as const)
                      : (['host', PORT, 'transport'] as const)),
                    ...KINDS,
                    ORGANIZATIONS,
                    'date_created',
                    'comment',
                  ]}
                />
              }
              right={
                <DetailCard
                  source={eventReceiver}
                  object={object}
                  title={t(words.state)}
                  facts={['backlog', 'date_delivered', 'problem', 'dropped']}
                />
              }
            />
          ),
        },
      ]}
    />
  );
}
