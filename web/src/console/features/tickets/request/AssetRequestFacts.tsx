import { type AssetRequest, CONFIRM_FIELDS, REQUEST_TARGETS } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { DetailCard, type Fact } from '../../../resource/detail/Cards.tsx';
import { YesNo } from '../../../resource/list/table/columns.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../../resource/object/ObjectLink.tsx';
import { ABOUT } from './about.ts';
import { words } from './words.ts';

const label = (en: string, zh: string) => ({ en, zh });

/** Facts that the request has: empty ones are left out. */
const factsOf = ({
  target,
  hostname,
  ips,
  system_user: account,
}: AssetRequest): readonly Fact<AssetRequest>[] => [
  ...(target === 'asset'
    ? [
        ...(hostname ? ['hostname' as const] : []),
        ...(ips.length > 0
          ? [{ name: 'ips', label: label('IP', 'IP'), value: () => ips.join(', ') }]
          : []),
      ]
    : [
        {
          name: 'target',
          label: label('Kind', '类别'),
          value: () =>
            REQUEST_TARGETS.filter(({ value }) => value === target).map((choice) =>
              t(choice.label),
            )[0],
        },
        'application' as const,
      ]),
  ...(account ? ['system_user' as const] : []),
  ...(target === 'remote_app'
    ? []
    : [
        {
          name: 'actions',
          label: label('Actions', '动作'),
          value: ({ actions }: AssetRequest) => namesOf(actions),
        },
      ]),
  ...(target === 'database_app'
    ? [
        {
          name: 'is_read_only',
          label: CONFIRM_FIELDS.is_read_only.label,
          value: ({ is_read_only: value }: AssetRequest) => <YesNo value={value} />,
        },
      ]
    : []),
  {
    name: 'date_start',
    label: label('Date start', '开始日期'),
    value: ({ date_start: date }) => <Moment date={date} exact />,
  },
  {
    name: 'date_expired',
    label: label('Date expired', '失效日期'),
    value: ({ date_expired: date }) => <Moment date={date} exact />,
  },
  { name: 'org_name', label: label('Organization', '组织'), value: ({ org_name: name }) => name },
];

function namesOf(actions: readonly string[]): string {
  const { choices } = CONFIRM_FIELDS.actions;
  return choices
    .filter(({ value }) => actions.includes(String(value)))
    .map((choice) => t(choice.label))
    .join(', ');
}

/** Shows the contents of an access request, and the permission that it created. */
export function AssetRequestFacts({ request }: { readonly request: AssetRequest }) {
  const source = {
    name: 'ticket',
    path: 'tickets/request-asset-perm',
    title: words.request,
    labelField: 'title',
    fields: {
      hostname: fieldOf('Hostname', '主机名'),
      application: fieldOf('Name', '名称'),
      system_user: fieldOf('System user', '系统用户'),
    },
  };
  const { permission } = request;
  return (
    <DetailCard
      source={source}
      object={request}
      title={t(words.requested)}
      facts={[
        ...factsOf(request),
        ...(permission
          ? [
              {
                name: 'permission',
                label: words.permission,
                value: () => (
                  <ObjectLink resource={ABOUT[request.target].permission} id={permission}>
                    {request.title}
                  </ObjectLink>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

const fieldOf = (en: string, zh: string) =>
  ({
    ...CONFIRM_FIELDS.date_start,
    kind: 'text',
    format: 'plain',
    allowBlank: true,
    label: { en, zh },
  }) as const;
