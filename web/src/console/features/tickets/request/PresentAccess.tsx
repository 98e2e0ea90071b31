import { Text } from '@mantine/core';
import type { AccessCheck, AssetRequest, RequestSuggestion } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { YesNo } from '../../../resource/list/table/columns.tsx';
import { ObjectLink } from '../../../resource/object/ObjectLink.tsx';
import { AccessAccounts } from '../../access/index.ts';
import { ABOUT } from './about.ts';
import { words } from './words.ts';

/** Maximum number of things whose present access is checked. */
const MOST_CHECKED = 10;

interface PresentAccessProps {
  readonly user: string;
  readonly target: AssetRequest['target'];
  readonly things: readonly string[];
  readonly suggestion: RequestSuggestion;
}

/**
 * Shows the present access of the requester, one thing at a time. The suggestion already includes
 * some checks.
 */
export function PresentAccess({ user, target, things, suggestion }: PresentAccessProps) {
  const known = new Map(suggestion.things.map((one) => [one.id, one]));
  const unchecked = things.slice(0, MOST_CHECKED).filter((thing) => !known.get(thing)?.check);
  const { data = [] } = useQuery({
    queryKey: ['access-check', target, user, unchecked],
    queryFn: ({ signal }) =>
      Promise.all(
        unchecked.map(async (thing) => ({
          thing,
          check: await api.get<AccessCheck>(ABOUT[target].check, {
            query: { user, [target]: thing },
            signal,
            quiet: true,
          }),
        })),
      ),
    enabled: unchecked.length > 0,
    retry: false,
  });
  const checks = things.flatMap((thing) => {
    const check = known.get(thing)?.check ?? data.find((one) => one.thing === thing)?.check;
    return check ? [{ thing, check }] : [];
  });
  if (checks.length === 0) return null;
  return (
    <section aria-label={t(words.has)}>
      <Text fz="sm" fw={500}>
        {t(words.has)}
      </Text>
      {checks.map(({ thing, check }) => (
        <Text key={thing} component="div" fz="sm">
          <ObjectLink resource={target} id={thing}>
            {known.get(thing)?.name ?? t(common.more)}
          </ObjectLink>{' '}
          <YesNo value={check.granted} good={!check.granted} />{' '}
          {check.access && <AccessAccounts accounts={check.access.accounts} />}
        </Text>
      ))}
    </section>
  );
}
