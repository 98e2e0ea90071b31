import { connect } from 'node:tls';
import { refuseMetadata } from './address-policy.ts';
import { datesOfRefusal } from './certificate-dates.ts';

export interface LimitedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/**
 * Sends a request to a server that administrators have named. Reads an answer up to a size.
 * @throws MetadataAddress, Error with the date of a certificate that has expired
 */
export async function fetchLimited(
  address: string,
  options: RequestInit,
  { maximum, tooLarge }: { readonly maximum: number; readonly tooLarge: () => Error },
): Promise<LimitedAnswer> {
  const { hostname, port } = new URL(address);
  await refuseMetadata(hostname);
  const { status, headers, body } = await fetch(address, options).catch(async (error: Error) => {
    const host = hostname.replace(/^\[|\]$/g, '');
    const dates = await datesOfRefusal(error, () => connect({ host, port: Number(port || 443) }));
    if (!dates) throw error;
    throw new Error(dates, { cause: error });
  });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maximum) throw tooLarge();
    parts.push(part);
  }
  return { status, headers, body: Buffer.concat(parts) };
}
