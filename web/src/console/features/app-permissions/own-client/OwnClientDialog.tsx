import { Anchor, Group, Stack, Text } from '@mantine/core';
import type { DatabasePassword, GrantedSystemUser } from '@sallyport/contract';
import { api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { CopyButton } from '../../../../kit/identity/CopyButton.tsx';
import { IssueDialog } from '../../mfa/index.ts';
import { commandsFor } from './commands.ts';
import { words } from './words.ts';

interface DialogProps {
  readonly app: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Shows one value with a button that copies it. */
function Fact({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div>
      <Text fz="sm" c="dimmed" mb={4}>
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <Text fz="sm" ff="monospace" style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        <CopyButton text={text} label={label} />
      </Group>
    </div>
  );
}

/** Creates a short-lived password for a database and shows how clients connect with it. */
export const OwnClientDialog = ({ app, onClose }: DialogProps) => (
  <IssueDialog<GrantedSystemUser, DatabasePassword>
    title={t(words.openFor, { name: app.name })}
    words={words}
    accounts={`perms/users/database-apps/${app.id}/system-users/`}
    isUsable={({ login_mode }) => login_mode === 'auto'}
    issue={(systemUser) =>
      api.post(
        'terminal/databases/passwords/',
        { database_app: app.id, system_user: systemUser },
        { quiet: true },
      )
    }
    render={(issued) => <Shown issued={issued} />}
    onClose={onClose}
  />
);

function Shown({ issued }: { readonly issued: DatabasePassword }) {
  const host = issued.host || window.location.hostname.replace(/^\[|\]$/g, '');
  const commands = commandsFor({ ...issued, host });
  return (
    <Stack gap="md">
      <Text fz="sm" role="status">
        {t(words.once, { until: issued.date_expired })} {issued.tls && t(words.tls)}
      </Text>
      <Fact label={t(words.password)} text={issued.password} />
      {commands.length === 0 && <Text fz="sm">{t(words.noCommand)}</Text>}
      {commands.map(({ name, command }) => (
        <Fact key={name} label={t(words.command, { name })} text={command} />
      ))}
      <Fact label={t(words.host)} text={host} />
      <Fact label={t(words.port)} text={String(issued.port)} />
      <Fact label={t(words.username)} text={issued.username} />
      {issued.database && <Fact label={t(words.database)} text={issued.database} />}
      <Fact label={t(words.fingerprint)} text={issued.fingerprint} />
      <Anchor
        fz="sm"
        href={`data:application/x-pem-file,${encodeURIComponent(issued.certificate)}`}
        download="sallyport-sql.pem"
      >
        {t(words.certificate)}
      </Anchor>
    </Stack>
  );
}
