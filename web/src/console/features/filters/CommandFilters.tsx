import { Alert, Button } from '@mantine/core';
import {
  commandFilter,
  commandFilterRule,
  pathOf,
  type Row,
  TERMINAL_PROTOCOLS,
} from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../kit/lazy-component.tsx';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { DetailCard, QuickActionsCard } from '../../resource/detail/Cards.tsx';
import { DetailColumns, DetailPage } from '../../resource/detail/DetailPage.tsx';
import { words as detailWords } from '../../resource/detail/words.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { choiceText } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage, RelationCard } from '../../resource/ResourcePages.tsx';
import { narrowed } from '../../resource/references.ts';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { TryOut } from './TryOut.tsx';
import { words } from './words.ts';

const LibraryDialog = lazyComponent(() =>
  import('./library/LibraryDialog.tsx').then((module) => module.LibraryDialog),
);

const PAGES = pagesOf(commandFilter.name);
const RULES = 'rules';

type CommandFilter = Row<typeof commandFilter>;
type Rule = Row<typeof commandFilterRule>;

export function CommandFilterList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <ResourceList<CommandFilter>
        source={commandFilter}
        columns={[
          { name: 'name' },
          {
            name: 'rules_amount',
            width: 100,
            cell: ({ id, rules_amount: amount }) => (
              <PageLink to={PAGES.detail(id)} search={{ activeTab: RULES }}>
                {amount}
              </PageLink>
            ),
          },
          {
            name: 'system_users_amount',
            width: 140,
            hidden: phone,
            cell: ({ id, system_users_amount: amount }) => (
              <PageLink to={PAGES.detail(id)}>{amount}</PageLink>
            ),
          },
          { name: 'is_active', width: 90, hidden: phone },
          {
            name: 'comment',
            hidden: phone,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
          { name: 'date_created', hidden: true },
          { name: 'date_updated', hidden: true },
        ]}
        hasDelete
        emptyHint={t(words.empty)}
      />
    </>
  );
}

export function CommandFilterForm() {
  return (
    <FormPage
      source={commandFilter}
      groups={[{ title: words.basic, fields: ['name', 'system_users', 'is_active', 'comment'] }]}
    />
  );
}

/** Lists the rules of a filter in order of evaluation, with a test of one command. */
function Rules({ filter }: { readonly filter: string }) {
  const { narrow, phone } = useBreakpoints();
  const [showsLibrary, setShowsLibrary] = useState(false);
  const parent = { filter };
  return (
    <>
      {/* Above the rules, so it does not move when they load. */}
      <div style={{ marginBottom: 16 }}>
        <TryOut filter={filter} />
      </div>
      <ResourceList<Rule>
        source={{ ...commandFilterRule, path: pathOf(commandFilterRule, parent) }}
        embedded
        columns={[
          {
            name: 'content',
            mono: true,
            essential: true,
            cell: ({ content }) => <Clipped title={content} min={160} />,
          },
          { name: 'type', width: 150, hidden: phone },
          { name: 'priority', width: 90, hidden: phone },
          {
            name: 'action',
            width: 90,
            cell: ({ action }) => (
              <span style={{ color: action === 0 ? 'var(--mantine-color-error)' : undefined }}>
                {choiceText(commandFilterRule.fields.action, action)}
              </span>
            ),
          },
          { name: 'condition', hidden: narrow },
          { name: 'is_active', width: 90, hidden: narrow },
          {
            name: 'comment',
            hidden: narrow,
            cell: ({ comment }) => comment && <Clipped title={comment} />,
          },
        ]}
        hasImport
        hasExport
        editable
        createSearch={parent}
        updateSearch={parent}
        hasDelete
        emptyHint={t(words.emptyRules)}
        toolbar={
          <Button variant="default" onClick={() => setShowsLibrary(true)}>
            {t(words.library)}
          </Button>
        }
      />
      {showsLibrary && <LibraryDialog filter={filter} onClose={() => setShowsLibrary(false)} />}
    </>
  );
}

/** Warns if the rules of a filter apply to no user. */
function Warning({
  filter: { is_active: isActive, system_users: bound },
}: {
  readonly filter: CommandFilter;
}) {
  if (isActive && bound.length > 0) return null;
  return (
    <Alert color="yellow" mb="md" role="status">
      {t(isActive ? words.unbound : words.inactive)}
    </Alert>
  );
}

export function CommandFilterDetail() {
  return (
    <DetailPage<CommandFilter>
      source={commandFilter}
      hasDelete
      lead={(object) => <Warning filter={object} />}
      tabs={(object, { change, activate }) => [
        {
          name: 'Detail',
          label: t(detailWords.overview),
          render: () => (
            <DetailColumns
              left={
                <DetailCard
                  source={commandFilter}
                  object={object}
                  facts={[
                    'name',
                    'rules_amount',
                    'date_created',
                    'date_updated',
                    'created_by',
                    'comment',
                  ]}
                />
              }
              right={
                <>
                  <QuickActionsCard
                    actions={[
                      {
                        key: 'active',
                        title: t(commandFilter.fields.is_active.label),
                        hint: t(words.activeHint),
                        checked: object.is_active,
                        toggle: (on) => activate(object.name, on),
                      },
                    ]}
                  />
                  <RelationCard
                    title={t(words.systemUsers)}
                    reference={narrowed('system_user', { protocol__in: TERMINAL_PROTOCOLS.join() })}
                    value={object.system_users}
                    onChange={(system_users) => change({ system_users })}
                  />
                </>
              }
            />
          ),
        },
        { name: RULES, label: t(words.rules), render: () => <Rules filter={object.id} /> },
      ]}
    />
  );
}
