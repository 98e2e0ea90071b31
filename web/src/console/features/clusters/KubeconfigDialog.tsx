import { Anchor, Stack, Text } from '@mantine/core';
import { type GrantedAppSystemUser, type Kubeconfig, posixWord } from '@sallyport/contract';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IssueDialog } from '../mfa/index.ts';
import { words } from './words.ts';

interface DialogProps {
  readonly app: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

/** Creates a short-lived kubeconfig for a cluster and offers it as a file. */
export const KubeconfigDialog = ({ app, onClose }: DialogProps) => (
  <IssueDialog<GrantedAppSystemUser, Kubeconfig>
    title={t(words.kubeconfigFor, { name: app.name })}
    words={words}
    accounts={`perms/users/clusters/${app.id}/system-users/`}
    issue={(systemUser) =>
      api.post(
        'perms/users/clusters/kubeconfig/',
        { cluster: app.id, system_user: systemUser },
        { quiet: true },
      )
    }
    render={(issued) => <Created issued={issued} name={app.name} />}
    onClose={onClose}
  />
);

/** The file of a cluster. Browsers replace characters that file names cannot have. */
const fileOf = (name: string) => `${name.replace(/[\\/:*?"<>|\s]+/g, '-')}.kubeconfig`;

function Created({ issued, name }: { readonly issued: Kubeconfig; readonly name: string }) {
  const file = fileOf(name);
  return (
    <Stack gap="md">
      <Text fz="sm" role="status">
        {t(words.once, { until: issued.date_expired })}
      </Text>
      <Anchor
        fz="sm"
        href={`data:application/yaml,${encodeURIComponent(issued.kubeconfig)}`}
        download={file}
      >
        {t(words.download)}
      </Anchor>
      <div>
        <Text fz="sm" c="dimmed">
          {t(words.use)}
        </Text>
        <Text fz="sm" ff="monospace">
          {`kubectl ${posixWord(`--kubeconfig=${file}`)} get pods`}
        </Text>
      </div>
      {issued.server.startsWith('http:') && (
        <Text fz="sm" c="var(--mantine-color-error)" role="alert">
          {t(words.needsTls)}
        </Text>
      )}
    </Stack>
  );
}
