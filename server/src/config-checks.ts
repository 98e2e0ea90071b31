import { isIP } from 'node:net';

export const port = (value: string) =>
  /^\d{1,5}$/.test(value) && Number(value) <= 65_535
    ? undefined
    : 'is not a port number between 0 and 65535';
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export const url =
  (...protocols: string[]) =>
  (value: string) => {
    if (!URL.canParse(value)) return 'is not a URL';
    const { protocol } = new URL(value);
    return protocols.includes(protocol)
      ? undefined
      : `begins with ${protocol} instead of ${protocols.join(' or ')}`;
  };

/** Splits a comma-separated value. */
export const splitList = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
const isNetwork = (value: string) => {
  const [address = '', bits, ...more] = value.split('/');
  const family = isIP(address);
  return (
    family !== 0 &&
    more.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  );
};
export const networks = (value: string) =>
  splitList(value).every(isNetwork) ? undefined : 'is not a list of addresses or networks';
