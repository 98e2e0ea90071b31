import { asset, parseField } from '@sallyport/contract';
import { Invalid, invalid } from '../../platform/errors.ts';

/**
 * Converts `protocol` and `port`, which the oldest clients send, to a list of protocols. Defaults
 * are ssh and 22. Returns undefined if the body has `protocols`, or neither field.
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
