import { Button } from '@mantine/core';
import { asset, pathOf, type Row, systemUserPush } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { ResourceList } from '../../../resource/list/ResourceList.tsx';
import { Clipped } from '../../Clipped.tsx';
import { useBreakpoints } from '../../useBreakpoints.ts';
import { useAccountTask } from './useAccountTask.ts';
import { words } from './words.ts';

const LIVE = 5_000;
const ASSETS = pagesOf(asset.name);
const COLORS: Readonly<Record<string, string>> = {
  done: 'var(--mantine-color-green-text)',
  failed: 'var(--mantine-color-error)',
};

/** Lists the state of a system user's accounts on its assets. */
export function Pushes({
  systemUser,
  isOn,
}: {
  readonly systemUser: string;
  readonly isOn: boolean;
}) {
  const { phone } = useBreakpoints();
  const { pushSystemUser, testSystemUser } = useAccountTask();
  const refusal = isOn ? undefined : t(words.pushIsOff);
  return (
    <ResourceList<Row<typeof systemUserPush>>
      source={{ ...systemUserPush, path: pathOf(systemUserPush, { system_user: systemUser }) }}
      embedded
      refetchEvery={LIVE}
      columns={[
        {
          name: 'asset',
          essential: true,
          cell: ({ asset: id, asset_display: name }) => (
            <PageLink to={ASSETS.detail(id)}>{name}</PageLink>
          ),
        },
        { name: 'username', hidden: phone },
        {
          name: 'state',
          width: 110,
          cell: ({ state, state_display: text }) => (
            <span style={{ color: COLORS[state] }}>{text}</span>
          ),
        },
        {
          name: 'reason_text',
          cell: ({ reason_text: reason }) => reason && <Clipped title={reason} />,
        },
        { name: 'date_pushed', hidden: phone },
      ]}
      extraActions={({ asset: id, username }) => [
        {
          key: 'push',
          label: t(words.pushAgain),
          refusal,
          run: () =>
            void pushSystemUser(systemUser, { asset: id, username }).catch(() => undefined),
        },
      ]}
      toolbar={
        <>
          <Button variant="default" onClick={() => void testSystemUser(systemUser)}>
            {t(words.testAccount)}
          </Button>
          <Button
            variant="default"
            disabled={!isOn}
            onClick={() => void pushSystemUser(systemUser, 'failed').catch(() => undefined)}
          >
            {t(words.pushFailed)}
          </Button>
        </>
      }
      emptyHint={t(words.pushHint)}
    />
  );
}
