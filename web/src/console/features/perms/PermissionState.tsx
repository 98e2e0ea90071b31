import type { Lasting } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../../kit/icons.ts';
import { useMinute } from '../../resource/list/table/Moment.tsx';
import { State, stateOf } from '../../resource/list/table/State.tsx';
import { words } from './words.ts';

const ICON = { verticalAlign: 'text-bottom' };

interface Named extends Lasting {
  readonly users_amount: number;
  readonly user_groups_amount: number;
}

/**
 * The state of a permission that names `targets` assets, nodes or applications. Amber instead of
 * green if it is in force but names no users or targets.
 */
export function PermissionState({ of, targets }: { readonly of: Named; readonly targets: number }) {
  const { validity } = stateOf(of, useMinute());
  const isEmpty = of.users_amount + of.user_groups_amount === 0 || targets === 0;
  if (validity !== 'valid' || !isEmpty) return <State of={of} />;
  return (
    <span style={{ whiteSpace: 'nowrap', color: 'var(--mantine-color-yellow-text)' }}>
      <IconAlertTriangle size={16} aria-hidden="true" style={ICON} /> {t(words.empty)}
    </span>
  );
}
