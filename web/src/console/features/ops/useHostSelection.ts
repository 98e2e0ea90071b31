import type { GrantedAsset } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
import { hasSsh } from './has-ssh.ts';

export interface Host {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
}

export interface HostSelection {
  readonly hosts: ReadonlyMap<string, Host>;
  readonly change: (hosts: readonly Host[], isChosen: boolean) => void;
}

export interface HostSelectionModel extends HostSelection {
  readonly clear: () => void;
  /** Number of assets of the address that the user may not run commands on. */
  readonly refused: number;
}

/** The selected hosts. The address may name a set of assets to start with, and their number. */
export function useHostSelection(): HostSelectionModel {
  const { spm, chosen } = useSearchRecord();
  const [hosts, setHosts] = useState<ReadonlyMap<string, Host>>(new Map());
  const [refused, setRefused] = useState(0);
  const { data } = useQuery({
    queryKey: ['granted-set', spm],
    queryFn: () => api.get<readonly GrantedAsset[]>('perms/users/assets/', { query: { spm } }),
    enabled: spm !== undefined,
  });
  useEffect(() => {
    if (!data) return;
    const able = data.filter(({ protocols }) => hasSsh(protocols));
    setHosts(new Map(able.map(({ id, hostname, ip }) => [id, { id, hostname, ip }])));
    setRefused(Math.max(0, Number(chosen ?? 0) - able.length));
  }, [data, chosen]);
  const change = (changed: readonly Host[], isChosen: boolean) =>
    setHosts((before) => {
      const after = new Map(before);
      for (const host of changed) {
        if (isChosen) after.set(host.id, host);
        else after.delete(host.id);
      }
      return after;
    });
  const clear = () => {
    setHosts(new Map());
    setRefused(0);
  };
  return { hosts, change, clear, refused };
}
