import { asset, parseField } from '@sallyport/contract';
import { Invalid, invalid } from '../../platform/errors.ts';

/**
 * Returns the list of protocols for a body with `protocol` and `port`, as the oldest clients send
 * them; undefined when the body has the list, or none of the two. Both have defaults, ssh and 22.
 * @throws Invalid
 */
export function protocolsOf(body: unknown): string[] | undefined {
  const { protocol, port, protocols } = body as {
    readonly protocol?: unknown;
    readonly port?: unknown;
    readonly protocols?: unknown;
  };
  if (protocols !== undefined || (protocol === undefined && port === undefined)) return undefined;
  const [name, number] = [protocol ?? 'ssh', port ?? 22];
  if (typeof name !== 'string') throw invalid('protocol', 'not_string');
  if (typeof number !== 'number' && typeof number !== 'string')
    throw invalid('port', 'not_integer');
  if (!/^\d{1,5}$/.test(String(number).trim())) throw invalid('port', 'not_port');
  const parsed = parseField(asset.fields.protocols, [`${name.trim()}/${String(number).trim()}`]);
  if ('problem' in parsed) throw new Invalid({ protocol: [parsed.problem] });
  return parsed.value as string[];
}
