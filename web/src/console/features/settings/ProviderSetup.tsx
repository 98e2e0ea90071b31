import type { ReactNode } from 'react';
import { t } from '../../../kit/i18n/index.ts';
import { IconKey } from '../../../kit/icons.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from './Settings.module.css';
import { words } from './words.ts';

interface Address {
  readonly label: string;
  readonly path: string;
}

/** The addresses of this server that the provider asks for, ready to copy. */
function ProviderAddresses({ addresses }: { readonly addresses: readonly Address[] }) {
  return (
    <dl className={styles.addresses}>
      {addresses.map(({ label, path }) => {
        const address = `${location.origin}${path}`;
        return (
          <div key={path}>
            <dt>{label}</dt>
            <dd className="mono">{address}</dd>
            <CopyButton text={address} label={label} />
          </div>
        );
      })}
    </dl>
  );
}

interface AddressCardProps {
  readonly addresses: readonly Address[];
  readonly title?: string;
  /** Content above the addresses. */
  readonly children?: ReactNode;
}

/** A card with the addresses of this server to register at a provider. */
export function AddressCard({ addresses, title, children }: AddressCardProps) {
  return (
    <div className={styles.setup}>
      <Card title={title ?? t(words.forProvider)} icon={<IconKey size={16} />}>
        <div className={styles.inside}>
          {children}
          <ProviderAddresses addresses={addresses} />
        </div>
      </Card>
    </div>
  );
}
