import { brandOf } from '../../kit/brand.ts';
import { Mark } from '../../kit/Mark.tsx';
import { useSession } from '../base/session.tsx';

/** The top of the sidebar: the installation's logo, or our logo with a name. */
export function Brand({ small }: { readonly small: boolean }) {
  const { title, indexLogo, logoutLogo } = brandOf(useSession().settings);
  if (!small && indexLogo)
    return (
      <img
        src={indexLogo}
        alt={title}
        style={{ maxWidth: 185, maxHeight: 44, objectFit: 'contain' }}
      />
    );
  return (
    <>
      {logoutLogo ? (
        <img src={logoutLogo} alt="" width={26} height={26} style={{ objectFit: 'contain' }} />
      ) : (
        <Mark size={26} />
      )}
      {!small && title}
    </>
  );
}
