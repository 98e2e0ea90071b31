import { asset, type Row } from '@sallyport/contract';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { Clipped } from '../Clipped.tsx';

/** Lists the assets of an account on the account's page. `by`: filter of the list request. */
export function LinkedAssets({ by }: { readonly by: Readonly<Record<string, string>> }) {
  return (
    <ResourceList<Row<typeof asset>>
      source={asset}
      embedded
      base={by}
      columns={[
        { name: 'hostname' },
        { name: 'ip', mono: true },
        { name: 'comment', cell: ({ comment }) => comment && <Clipped title={comment} /> },
      ]}
    />
  );
}
