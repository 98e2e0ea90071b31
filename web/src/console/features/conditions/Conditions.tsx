import { condition, conditionSentence, network, type Row, say } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, timeZone } from '../../../kit/api.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import type { Fact } from '../../resource/detail/Cards.tsx';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import type { Summary } from '../../resource/form/FormPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { asTexts } from '../../resource/form/input-props.ts';
import type { FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { CONDITION_FIELDS, termsOfForm } from './condition-form.ts';
import { words } from './words.ts';

type Condition = Row<typeof condition>;
type Network = Row<typeof network>;

export function ConditionList() {
  return (
    <>
      <PageHeader hint={t(words.conditionHint)} />
      <ResourceList<Condition>
        source={condition}
        columns={[
          { name: 'name', width: 240, cell: ({ name }) => <Clipped title={name} /> },
          {
            name: 'sentence',
            cell: ({ sentence }) => <Clipped title={sentence || t(words.alwaysHolds)} />,
          },
          { name: 'comment', hidden: true },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
      />
    </>
  );
}

const GROUPS: readonly FormGroup<keyof typeof condition.fields>[] = [
  { title: words.basic, fields: ['name'] },
  { title: words.fromWhere, fields: ['networks', 'networks_excluded'] },
  { title: words.when, fields: ['hours', 'time_zone', 'hours_excluded'] },
  { title: words.period, fields: ['valid_from', 'valid_until', 'period_excluded'] },
  {
    title: words.how,
    fields: ['factor_minutes', 'factor_excluded', 'clients', 'clients_excluded'],
  },
  { title: words.whichPorts, fields: ['ports', 'ports_excluded'] },
  { title: words.more, fields: ['comment'] },
];

/** The condition of a form in words. Names of networks are loaded. */
function SentenceOf({ values }: { readonly values: FormValues }): string {
  const ids = asTexts(values.networks);
  const { data: networks = [] } = useQuery({
    queryKey: ['networks-of-condition', ids],
    queryFn: ({ signal }) =>
      Promise.all(ids.map((id) => api.get<Network>(`${network.path}/${id}/`, { signal }))),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  });
  const sentence = say(
    conditionSentence(termsOfForm(values, ids.length > 0 ? networks : [])),
    language,
  );
  return sentence ? t(words.holdsIf, { parts: sentence }) : t(words.alwaysHolds);
}

const SUMMARY: Summary = {
  body: (values) => <SentenceOf values={values} />,
  line: (values) => <SentenceOf values={values} />,
};

/** Creates or changes a condition. The summary says what it means. */
export function ConditionForm() {
  return (
    <FormPage
      source={condition}
      groups={GROUPS}
      overrides={CONDITION_FIELDS}
      summary={SUMMARY}
      initial={{ time_zone: timeZone() }}
    />
  );
}

const SENTENCE: Fact<Condition> = {
  name: 'sentence',
  label: condition.fields.sentence.label,
  value: ({ sentence }) =>
    sentence ? t(words.holdsIf, { parts: sentence }) : t(words.alwaysHolds),
  isWide: true,
};

export function ConditionDetail() {
  return (
    <DetailPage<Condition>
      source={condition}
      hasDelete
      tabs={(object) => [
        factsTab(condition, object, [SENTENCE, 'comment', 'created_by', 'date_created']),
      ]}
    />
  );
}

export function NetworkList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.networkHint)} />
      <ResourceList<Network>
        source={network}
        columns={[
          { name: 'name', cell: ({ name }) => <Clipped title={name} /> },
          {
            name: 'networks',
            mono: true,
            cell: ({ networks }) => <Clipped title={networks.join(', ')} />,
          },
          { name: 'comment', hidden: phone },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
      />
    </>
  );
}

export function NetworkForm() {
  return (
    <FormPage
      source={network}
      groups={[{ title: words.basic, fields: ['name', 'networks', 'comment'] }]}
    />
  );
}
