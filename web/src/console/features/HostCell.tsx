import { Text } from '@mantine/core';
import { Clipped } from './Clipped.tsx';

interface HostCellProps {
  readonly host: { readonly hostname: string; readonly ip: string };
  /** Shows the address below the name, for lists without an address column. */
  readonly withAddress: boolean;
}

export function HostCell({ host: { hostname, ip }, withAddress }: HostCellProps) {
  if (!withAddress) return <Clipped title={hostname} />;
  return (
    <>
      <Clipped title={hostname} min={104} />
      <Text span className="mono" fz="xs" c="dimmed" display="block" lh={1.2}>
        {ip}
      </Text>
    </>
  );
}
