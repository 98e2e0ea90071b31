import { conditionSentence, isNetwork, type Row, say, signInRule } from '@sallyport/contract';
import { api, timeZone } from '../../../kit/api.ts';
import { language, t } from '../../../kit/i18n/index.ts';
import { DetailCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import type { Summary } from '../../resource/form/FormPage.tsx';
import type { FormValues } from '../../resource/form/form-state.ts';
import { asTexts } from '../../resource/form/input-props.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage, RelationCard } from '../../resource/ResourcePages.tsx';
import { referenceTo } from '../../resource/references.ts';
import { objectUrl } from '../../resource/source.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { CONDITION_FIELDS, termsOfForm } from './condition-form.ts';
import { words } from './words.ts';

type Rule = Row<typeof signInRule>;

const USERS = referenceTo('user');
const GROUPS_OF = referenceTo('user_group');

export function SignInRuleList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.signInHint)} />
      <ResourceList<Rule>
        source={signInRule}
        columns={[
          { name: 'name', width: 240, cell: ({ name }) => <Clipped title={name} /> },
          {
            name: 'sentence',
            cell: ({ sentence }) => <Clipped title={sentence || t(words.alwaysHolds)} />,
          },
          { name: 'otherwise', width: 190, hidden: phone },
          { name: 'is_active', width: 90, hidden: phone },
          { name: 'comment', hidden: true },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
      />
    </>
  );
}

const GROUPS: readonly FormGroup<keyof typeof signInRule.fields>[] = [
  { title: words.basic, fields: ['name', 'is_active'] },
  { title: words.signInWho, fields: ['everyone', 'users', 'user_groups', 'roles'] },
  { title: words.fromWhere, fields: ['networks', 'networks_excluded'] },
  { title: words.when, fields: ['hours', 'time_zone', 'hours_excluded'] },
  { title: words.period, fields: ['valid_from', 'valid_until', 'period_excluded'] },
  { title: words.signInHow, fields: ['clients', 'clients_excluded', 'otherwise'] },
  { title: words.more, fields: ['comment'] },
];

/** A rule for all accounts needs no list of accounts. */
const forEveryone = ({ everyone }: FormValues) => everyone === true;
const OVERRIDES: FieldOverrides = {
  ...CONDITION_FIELDS,
  users: { hidden: forEveryone },
  user_groups: { hidden: forEveryone },
  roles: { hidden: forEveryone },
};

/** The rule of a form in words. */
function sentenceOf(values: FormValues): string {
  const ranges = asTexts(values.networks).filter(isNetwork);
  const terms = termsOfForm(values, ranges.length > 0 ? [{ name: '', networks: ranges }] : []);
  const sentence = say(conditionSentence(terms), language);
  if (!sentence) return t(words.signInFree);
  return t(values.otherwise === 'second_factor' ? words.signInFactor : words.signInOnly, {
    parts: sentence,
  });
}

const SUMMARY: Summary = { body: sentenceOf, line: sentenceOf };

/** Creates or changes a sign-in rule. The summary says what it means. */
export function SignInRuleForm() {
  return (
    <FormPage
      source={signInRule}
      groups={GROUPS}
      overrides={OVERRIDES}
      summary={SUMMARY}
      initial={{ time_zone: timeZone() }}
    />
  );
}

interface WhoseSignInsProps {
  readonly object: Rule;
  readonly onSaved: () => unknown;
}

/** The users and groups of a rule, which can be added and removed. */
function WhoseSignIns({ object, onSaved }: WhoseSignInsProps) {
  const change = (values: Partial<Pick<Rule, 'users' | 'user_groups'>>) =>
    api.patch(objectUrl(signInRule, object.id), values).finally(() => void onSaved());
  return (
    <>
      {USERS && (
        <RelationCard
          title={t(words.members)}
          reference={USERS}
          value={object.users}
          onChange={(users) => change({ users: [...users] })}
        />
      )}
      {GROUPS_OF && (
        <RelationCard
          title={t(words.userGroups)}
          reference={GROUPS_OF}
          value={object.user_groups}
          onChange={(groups) => change({ user_groups: [...groups] })}
        />
      )}
    </>
  );
}

export function SignInRuleDetail() {
  return (
    <DetailPage<Rule>
      source={signInRule}
      hasDelete
      tabs={(object, detail) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={signInRule}
                  object={object}
                  facts={[
                    {
                      name: 'sentence',
                      label: signInRule.fields.sentence.label,
                      value: ({ sentence }) => sentence || t(words.alwaysHolds),
                      isWide: true,
                    },
                    'is_active',
                    'otherwise',
                    'everyone',
                    ...(object.everyone ? [] : (['roles'] as const)),
                    'comment',
                    'created_by',
                    'date_created',
                  ]}
                />
              }
              right={!object.everyone && <WhoseSignIns object={object} onSaved={detail.refresh} />}
            />
          ),
        },
      ]}
    />
  );
}
