import {
  asset,
  changeAuthExecution,
  changeAuthPlan,
  choice,
  PASSWORD_LENGTH,
} from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { ask } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { pagesOf } from '../../base/resources.ts';
import { type FormValues, isBlank } from '../../resource/form/form-state.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { useAddressedSet } from '../../resource/useChosen.ts';
import { NextRuns } from '../periods/index.ts';
import { AccountField } from './AccountField.tsx';
import { PlanPreview } from './PlanPreview.tsx';
import { words } from './words.ts';

const JOBS = pagesOf('job');
const [NOW, DEMAND, REPEATED] = ['now', 'demand', 'repeated'];

const WHEN = choice({
  label: words.when,
  choices: [
    { value: NOW, label: words.onceNow },
    { value: DEMAND, label: words.onDemand },
    { value: REPEATED, label: words.repeated },
  ],
  defaultValue: NOW,
});

type Own = 'when';

const GROUPS: readonly FormGroup<keyof typeof changeAuthPlan.fields | Own>[] = [
  { title: words.whichAccount, fields: ['username'] },
  { title: words.where, fields: ['assets', 'nodes'] },
  {
    title: words.how,
    fields: ['password_strategy', 'password', 'password_rules', 'key_strategy', 'private_key'],
  },
  { title: words.when, fields: ['when', 'is_periodic', 'interval', 'crontab'] },
  moreOptions(['name', 'comment']),
];

const isCustom = (values: FormValues) => values.password_strategy === 'custom';

const isRandom = (values: FormValues) =>
  values.password_strategy === 'random_one' || values.password_strategy === 'random_all';

const repeats = (values: FormValues, updating: boolean) =>
  updating ? values.is_periodic === true : values.when === REPEATED;

const OVERRIDES: FieldOverrides = {
  username: { widget: AccountField },
  password_strategy: { isWide: true },
  password: { hidden: (values) => !isCustom(values) },
  password_rules: { hidden: (values) => !isRandom(values) },
  key_strategy: { isWide: true },
  private_key: { hidden: (values) => values.key_strategy !== 'custom' },
  when: {
    clientOnly: WHEN,
    isWide: true,
    hidden: (_values, updating) => updating,
  },
  is_periodic: { isWide: true, hidden: (_values, updating) => !updating },
  crontab: { hidden: (values, updating) => !repeats(values, updating) },
  interval: { hidden: (values, updating) => !repeats(values, updating) },
  name: { required: false, help: words.nameHelp },
};

/** Drops the fields of the other password strategy, and names a plan without a name. */
function toBody(body: Record<string, unknown>, values: FormValues): Record<string, unknown> {
  const { password, password_rules: rules, private_key: key, name, ...rest } = body;
  const { password_strategy: strategy, key_strategy: keys } = body;
  return {
    ...rest,
    name: isBlank(name) ? `${values.username} ${formatDate(new Date().toISOString())}` : name,
    ...(values.when ? { is_periodic: values.when === REPEATED } : {}),
    ...(strategy === 'custom' && password !== undefined && { password }),
    ...(strategy !== 'custom' &&
      strategy !== 'keep' &&
      rules !== null && { password_rules: rules }),
    ...(keys === 'custom' && key !== undefined && { private_key: key }),
  };
}

const amountOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);

/** Asks before a plan that runs as soon as it is saved. */
async function askToRun(values: FormValues, updating: boolean): Promise<boolean> {
  if (updating || values.when !== NOW) return true;
  return new Promise((resolve) =>
    ask({
      title: t(words.askTitle),
      message: t(words.ask, {
        name: String(values.username),
        count: amountOf(values.assets),
        nodes: amountOf(values.nodes),
      }),
      confirm: t(words.execute),
      onConfirm: () => resolve(true),
      onClose: () => resolve(false),
    }),
  );
}

/** Starts a new plan that runs once now, and opens its job. */
async function runOnce(saved: unknown, values: FormValues) {
  if (values.when !== NOW) return undefined;
  try {
    const { id } = saved as { readonly id: string };
    const { task } = await api.post<{ task: string }>(changeAuthExecution.path, { plan: id });
    return { path: JOBS.detail(task) };
  } catch {
    // The request layer has reported the error. The plan exists: its list opens.
    return undefined;
  }
}

/** Creates or changes a plan: which account, where, how, when. */
export function PlanForm() {
  const { ids, isReady } = useAddressedSet(asset);
  if (!isReady) return <PageHeader />;
  return (
    <FormPage<typeof changeAuthPlan.fields, Own>
      source={changeAuthPlan}
      groups={GROUPS}
      overrides={OVERRIDES}
      initial={{
        ...(ids && { assets: ids }),
        password_strategy: 'random_all',
        password_rules: { length: PASSWORD_LENGTH.usual },
      }}
      toBody={toBody}
      agree={askToRun}
      afterSaving={runOnce}
      canAddAnother={false}
      notice={(values, _dirty, set) => (
        <>
          <PlanPreview values={values} onAssets={(assets) => set('assets', assets)} />
          <NextRuns
            values={values.when ? { ...values, is_periodic: values.when === REPEATED } : values}
          />
        </>
      )}
    />
  );
}
