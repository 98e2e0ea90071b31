import { Button, Menu } from '@mantine/core';
import { Fragment } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import { IconChevronDown } from '../../../../kit/icons.ts';
import { ActionItem, type RowAction } from '../table/RowActions.tsx';
import { words } from '../words.ts';
import { type Selection, useSelectedRows } from './selection.ts';

interface BulkProps<T> {
  readonly selection: Selection<T>;
}

/** Menu of actions on all selected rows; disabled without a selection. */
export function BulkMenu<T extends { readonly id: string }>({
  selection,
  actionsOf,
}: BulkProps<T> & { readonly actionsOf: (rows: readonly T[]) => readonly RowAction[] }) {
  const rows = useSelectedRows(selection);
  const none = rows.length === 0;
  return (
    <Menu position="bottom-start" withinPortal disabled={none}>
      <Menu.Target>
        <Button variant="default" disabled={none} rightSection={<IconChevronDown size={14} />}>
          {t(words.moreActions)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actionsOf(rows).map((action, index) => (
          <Fragment key={action.key}>
            {action.danger && index > 0 && <Menu.Divider />}
            <ActionItem action={action} />
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
