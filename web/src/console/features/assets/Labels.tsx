import { label, type Row } from '@sallyport/contract';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { Clipped } from '../Clipped.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { words } from './words.ts';

export function LabelList() {
  const { phone } = useBreakpoints();
  return (
    <>
      <PageHeader />
      <ResourceList<Row<typeof label>>
        source={label}
        columns={[
          { name: 'name', cell: ({ name }) => <Clipped title={name} min={64} /> },
          { name: 'value', cell: ({ value }) => <Clipped title={value} min={44} /> },
          { name: 'asset_count', width: 140, hidden: phone },
          { name: 'comment', hidden: true },
          { name: 'date_created', hidden: true },
        ]}
        hasDelete
      />
    </>
  );
}

export function LabelForm() {
  return (
    <FormPage
      source={label}
      groups={[{ title: words.basic, fields: ['name', 'value', 'assets', 'comment'] }]}
    />
  );
}
