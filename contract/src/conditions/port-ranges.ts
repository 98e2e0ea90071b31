const HIGHEST = 65_535;

/** Ports from `first` to `last`. */
interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Parses `5432` or `8000-8100`. Returns undefined if it is malformed or empty. */
export function parsePortRange(text: string): PortRange | undefined {
  const [, from, to = from] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  return first >= 1 && last >= first && last <= HIGHEST ? { first, last } : undefined;
}

/** Returns true if one of the readable ranges has the port. */
export const isInPorts = (port: number, ranges: readonly string[]): boolean =>
  ranges.some((text) => {
    const range = parsePortRange(text);
    return range !== undefined && range.first <= port && port <= range.last;
  });
