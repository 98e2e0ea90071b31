import { Button } from '@mantine/core';
import {
  commandFilter,
  commandFilterRule,
  isUuid,
  pathOf,
  RULE_ALLOW,
  RULE_CONFIRM,
  RULE_HOLD,
} from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useGoButton, useSearchRecord } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import type { FormValues } from '../../resource/form/form-state.ts';
import { EmptyState } from '../../resource/list/EmptyState.tsx';
import listStyles from '../../resource/list/List.module.css';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { words } from './words.ts';

const FILTERS = pagesOf(commandFilter.name);

/** Fields that only rules with some actions use. */
const OVERRIDES = {
  message: { hidden: ({ action }: FormValues) => action === RULE_ALLOW },
  word: { hidden: ({ action }: FormValues) => action !== RULE_CONFIRM },
  minutes: { hidden: ({ action }: FormValues) => action !== RULE_HOLD },
};

/** Creates or changes a rule of the filter in the address. */
export function CommandFilterRuleForm() {
  const { filter = '' } = useSearchRecord();
  const goButton = useGoButton();
  if (!isUuid(filter)) {
    return (
      <>
        <PageHeader onBack={() => history.back()} />
        <div className={listStyles.card}>
          <EmptyState
            title={t(words.noFilter)}
            action={<Button {...goButton(FILTERS.list)}>{t(words.toFilters)}</Button>}
          />
        </div>
      </>
    );
  }
  return (
    <FormPage
      source={{ ...commandFilterRule, path: pathOf(commandFilterRule, { filter }) }}
      groups={[
        {
          title: words.basic,
          fields: [
            'type',
            'content',
            'priority',
            'action',
            'message',
            'word',
            'minutes',
            'condition',
            'is_active',
            'comment',
          ],
        },
      ]}
      overrides={OVERRIDES}
      leadsTo={() => ({ path: FILTERS.detail(filter), search: { activeTab: 'rules' } })}
    />
  );
}
