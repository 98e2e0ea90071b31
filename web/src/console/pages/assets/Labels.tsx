import { label, type Row } from '@sallyport/contract';
import { FormPage } from '../../resource/form/FormPage.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { Clipped } from '../Clipped.tsx';
import { useRoom } from '../useRoom.ts';
import { words } from './words.ts';

const PATH = '/assets/labels';

/** Name and value pairs on assets. */
export function LabelList() {
  const { tiny } = useRoom();
  return (
    <>
      <PageHeader />
      <ResourceList<Row<typeof label>>
        source={label}
        columns={[
          { name: 'name', cell: ({ name }) => <Clipped title={name} min={64} /> },
          { name: 'value', cell: ({ value }) => <Clipped title={value} min={44} /> },
          { name: 'asset_count', width: 140, hidden: tiny },
          { name: 'comment', hidden: true },
          { name: 'date_created', hidden: true },
        ]}
        create={{ path: `${PATH}/create` }}
        update={({ id }) => `${PATH}/${id}/update`}
        hasDelete
      />
    </>
  );
}

/** Creates or changes a label. */
export function LabelForm() {
  return <FormPage source={label} listPath={PATH} groups={[{ title: words.basic, fields: ['name', 'value', 'assets', 'comment'] }]} />;
}
