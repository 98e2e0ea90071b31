import { Button } from '@mantine/core';
import type { DatabaseListeners, databaseApp, ListenedDatabase, Row } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import type { Column } from '../../../resource/list/table/columns.tsx';
import { OwnClientDialog } from './OwnClientDialog.tsx';
import { words } from './words.ts';

type DatabaseApp = Row<typeof databaseApp>;

const LISTENER: Readonly<Record<string, ListenedDatabase>> = {
  mysql: 'mysql',
  mariadb: 'mysql',
  postgresql: 'postgresql',
};

/**
 * The column that offers to connect with the user's own client. Empty if no database listener is
 * enabled.
 */
export function useOwnClientColumn(isOffered: boolean): readonly Column<DatabaseApp>[] {
  const { data } = useQuery({
    queryKey: ['database-listeners'],
    queryFn: ({ signal }) => api.get<DatabaseListeners>('terminal/databases/', { signal }),
    enabled: isOffered,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data || (data.mysql === 0 && data.postgresql === 0)) return [];
  const isServed = ({ type }: DatabaseApp) => {
    const kind = LISTENER[type];
    return kind !== undefined && data[kind] !== 0;
  };
  return [
    {
      name: 'own_client',
      label: words.column,
      width: 150,
      essential: true,
      cell: (row) => isServed(row) && <OwnClient app={row} />,
    },
  ];
}

function OwnClient({ app }: { readonly app: DatabaseApp }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() => setOpen(true)}
        aria-label={t(words.openNamed, { name: app.name })}
      >
        {t(words.open)}
      </Button>
      {isOpen && <OwnClientDialog app={app} onClose={() => setOpen(false)} />}
    </>
  );
}
