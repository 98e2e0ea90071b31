import { Button, Group } from '@mantine/core';
import { agent, allows, Permission } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { t } from '../../../kit/i18n/index.ts';
import { pagesOf } from '../../base/resources.ts';
import { useProfile, useSession } from '../../base/session.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { useFreshFactor } from '../mfa/index.ts';
import { useBreakpoints } from '../useBreakpoints.ts';
import { type Agent, isLive, keepToken, useEnding } from './agent-actions.ts';
import { LEASH_FIELDS, LEASH_GROUPS } from './leash-groups.ts';
import { words } from './words.ts';

const EVERY_MS = 10_000;

/** The own agents; administrators and auditors of the installation see those of all users. */
export function AgentList() {
  const { phone } = useBreakpoints();
  const ending = useEnding();
  const { id } = useProfile();
  const { role } = useSession();
  const endsAll = allows(role.permissions, Permission.SUPER | Permission.ADMIN);
  return (
    <>
      <PageHeader hint={t(words.hint)} />
      <ResourceList<Agent>
        source={agent}
        refetchEvery={EVERY_MS}
        hasImport={false}
        hasExport={false}
        toolbar={
          <Group gap="xs">
            <Button variant="light" color="red" onClick={() => ending.mine(id)}>
              {t(words.endMine)}
            </Button>
            {endsAll && (
              <Button variant="light" color="red" onClick={ending.all}>
                {t(words.endAll)}
              </Button>
            )}
          </Group>
        }
        columns={[
          { name: 'name', essential: true },
          { name: 'client', hidden: phone },
          { name: 'owner', hidden: phone },
          { name: 'state', cell: ({ state_display: state }) => state },
          {
            name: 'used_commands',
            hidden: phone,
            cell: ({ used_commands: used, max_commands: max }) => t(words.used, { used, max }),
          },
          { name: 'date_created', hidden: phone },
          { name: 'date_expired', hidden: phone },
        ]}
        extraActions={(row) => [
          {
            key: 'end',
            label: t(words.end),
            danger: true,
            refusal: isLive(row) ? undefined : t(words.isOver),
            run: () => ending.one(row),
          },
        ]}
      />
    </>
  );
}

/** Creates an agent with its leash. Its page then shows the token once. */
export function AgentForm() {
  const client = useQueryClient();
  const { proveFresh, question } = useFreshFactor();
  return (
    <>
      <FormPage
        source={agent}
        canAddAnother={false}
        groups={[{ title: words.agent, fields: ['name', 'client', 'task'] }, ...LEASH_GROUPS]}
        overrides={LEASH_FIELDS}
        agree={proveFresh}
        afterSaving={async (saved) => ({ path: pagesOf('agent').detail(keepToken(client, saved)) })}
      />
      {question}
    </>
  );
}
