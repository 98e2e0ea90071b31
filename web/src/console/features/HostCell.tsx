import { Text } from '@mantine/core';
import { Clipped } from './Clipped.tsx';

interface HostCellProps {
  readonly host: { readonly hostname: string; readonly ip: string };
  /** Where the address has no column of its own, it is below the name. */
  readonly withAddress: boolean;
}

/** The name of an asset in a list. */
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
