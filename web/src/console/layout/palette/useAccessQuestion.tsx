import { allows, Permission } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import type { Offer } from '../../../kit/palette/option.ts';
import { useGoAddress } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { useHits } from './useHits.ts';
import { words } from './words.ts';

const QUESTION = /^\s*(\S.*?)\s*(?:→|->|>)\s*(\S.*?)\s*$/;
const FEW = 3;

/** Offers to check access for a query like `user > asset`; undefined for any other text. */
export function useAccessQuestion(query: string): Offer | undefined {
  const { role } = useSession();
  const goAddress = useGoAddress();
  const [, who = '', what = ''] =
    (allows(role.current, Permission.ADMIN) && QUESTION.exec(query)) || [];
  const isAsked = who !== '';
  const users = useHits(who, { kind: 'user', limit: FEW, enabled: isAsked });
  const assets = useHits(what, { kind: 'asset', limit: FEW, enabled: isAsked });
  if (!isAsked) return undefined;
  const pairs = users.hits.flatMap((user) => assets.hits.map((asset) => ({ user, asset })));
  return {
    settled: users.settled && assets.settled,
    failed: users.failed || assets.failed,
    options: pairs.map(({ user, asset }) => {
      const address = `${pagesOf('user').detail(user.id)}?activeTab=UserAccess&check=${asset.id}`;
      return {
        key: `check-${user.id}-${asset.id}`,
        group: t(words.check),
        label: t(words.checkQuestion, { user: user.title, asset: asset.title }),
        note: `${user.note} → ${asset.note}`,
        icon: <IconShieldCheck size={16} />,
        run: () => void goAddress(address),
        address,
      };
    }),
  };
}
