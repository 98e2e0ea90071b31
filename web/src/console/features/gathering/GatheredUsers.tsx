import { gatheredUser, type Row } from '@sallyport/contract';
import { COOKIES, readCookie } from '../../../kit/cookies.ts';
import { t } from '../../../kit/i18n/index.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { ListByNode, NODE_NAMES } from '../../tree/ListByNode.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

/** Accounts found on servers, with the asset tree. */
export function GatheredUserList() {
  const { narrow, phone } = useBreakpoints();
  const current = readCookie(COOKIES.showCurrentAsset) === '1' ? 1 : 0;
  return (
    <>
      <PageHeader hint={t(words.gatheredHint)} />
      <ListByNode>
        {(node) => (
          <ResourceList<Row<typeof gatheredUser>>
            key={node ?? ''}
            source={gatheredUser}
            columns={[
              { name: 'hostname', width: 150 },
              { name: 'ip', mono: true, width: 130, hidden: narrow },
              { name: 'username', essential: true },
              { name: 'date_last_login', hidden: phone },
              { name: 'present', width: 90, cell: ({ present }) => <YesNo value={present} /> },
              { name: 'ip_last_login', mono: true, width: 130, hidden: narrow },
              { name: 'date_updated', hidden: phone },
            ]}
            pageNames={NODE_NAMES}
            {...(node && { chosen: { node_id: node, show_current_asset: current } })}
            searchMore={[
              { name: 'asset__hostname', label: t(gatheredUser.fields.hostname.label) },
              { name: 'asset__ip', label: t(gatheredUser.fields.ip.label) },
            ]}
            emptyHint={t(words.gatheredEmpty)}
          />
        )}
      </ListByNode>
    </>
  );
}
