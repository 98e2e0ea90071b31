import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import type { OffboardingResult } from '@sallyport/contract';
import { common, t } from '../../../../kit/i18n/index.ts';
import { IconCircleCheck } from '../../../../kit/icons.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { doneLines } from './lines.ts';
import { words } from './words.ts';

interface OffboardDoneProps {
  readonly result: OffboardingResult;
  readonly isHere: boolean;
  readonly onClose: () => void;
}

/** The results, and the shared accounts whose passwords must change now. */
export function OffboardDone({
  result: { way, done, accounts },
  isHere,
  onClose,
}: OffboardDoneProps) {
  const title =
    way === 'disable' ? words.wasDisabled : isHere ? words.wasRemovedHere : words.wasRemoved;
  const lines = doneLines(done);
  return (
    <Stack>
      <Alert color="green" role="status" icon={<IconCircleCheck size={16} />} title={t(title)}>
        {lines.length > 0 && (
          <List size="sm">
            {lines.map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        )}
      </Alert>
      {accounts.length === 0 ? (
        <Text c="dimmed" fz="sm">
          {t(words.noAccounts)}
        </Text>
      ) : (
        <div>
          <Text fw={600}>{t(words.rotate)}</Text>
          <Text c="dimmed" fz="sm" mb="xs">
            {t(words.rotateHint)}
          </Text>
          <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }}>
            {accounts.map(({ id, name, username, protocol, organization, date_last: last }) => (
              <Group key={id} component="li" justify="space-between" gap="xs" mih={28}>
                <Text span fz="sm">
                  {name} ({username}) · {protocol}
                  {organization && ` · ${organization}`}
                  {last && (
                    <Text span c="dimmed" fz="xs">
                      {` · ${t(words.lastUsed)} `}
                      <Moment date={last} />
                    </Text>
                  )}
                </Text>
                {organization === '' && (
                  <PageLink
                    to={pagesOf('system_user').update(id)}
                    fz="sm"
                    aria-label={`${t(words.change)}: ${name}`}
                  >
                    {t(words.change)}
                  </PageLink>
                )}
              </Group>
            ))}
          </Stack>
        </div>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose} data-autofocus>
          {t(common.close)}
        </Button>
      </Group>
    </Stack>
  );
}
