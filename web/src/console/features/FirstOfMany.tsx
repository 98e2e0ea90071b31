import { formatNumber } from '../../kit/format/format.ts';
import { PageLink } from '../base/navigation.tsx';
import { ObjectLink } from '../resource/object/ObjectLink.tsx';
import { Clipped } from './Clipped.tsx';

/** A touch target that is wide enough next to another link. */
const AMOUNT = {
  display: 'grid',
  flex: 'none',
  minWidth: 24,
  minHeight: 24,
  placeItems: 'center',
} as const;

interface FirstOfManyProps {
  readonly resource: string;
  readonly first: { readonly id: string; readonly name: string } | null | undefined;
  readonly amount: number;
  /** The page and the tab with all names. */
  readonly to: string;
  readonly tab: string;
}

/** Shows the first name and the number of further names, which links to all of them. */
export function FirstOfMany({ resource, first, amount, to, tab }: FirstOfManyProps) {
  if (!first) return null;
  return (
    <span style={{ display: 'flex', gap: 4, alignItems: 'center' }}>
      <span style={{ flex: '1 1 72px', minWidth: 44 }}>
        <Clipped title={first.name} min={44} link>
          <ObjectLink resource={resource} id={first.id}>
            {first.name}
          </ObjectLink>
        </Clipped>
      </span>
      {amount > 1 && (
        <PageLink to={to} search={{ activeTab: tab }} style={AMOUNT}>
          +{formatNumber(amount - 1)}
        </PageLink>
      )}
    </span>
  );
}
