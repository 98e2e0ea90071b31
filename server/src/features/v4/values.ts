import { choicesOf, type Field, type Language, type LocalText, say } from '@sallyport/contract';

/** A choice in the shape of versions 3 and 4. */
export interface Labelled {
  readonly value: unknown;
  readonly label: string;
}

/** Id of the default organization in versions 3 and 4. In version 2.1 its objects have none. */
export const DEFAULT_ORGANIZATION_ID = '00000000-0000-0000-0000-000000000002';

/** Returns a value of a field with choices, and its label. */
export function labelled(field: Field, value: unknown, language: Language): Labelled {
  const choice = choicesOf(field)?.find((one) => one.value === value);
  return { value, label: choice ? say(choice.label, language) : String(value ?? '') };
}

/** Returns a value with one of these labels. */
export const labelledBy = (
  labels: Readonly<Record<string, LocalText>>,
  value: string,
  language: Language,
): Labelled => {
  const label = Object.hasOwn(labels, value) ? labels[value] : undefined;
  return { value, label: label ? say(label, language) : value };
};

/** Returns the organization of a row. */
export const organizationOf = ({
  org_id,
  org_name,
}: {
  readonly org_id?: string;
  readonly org_name?: string;
}) => ({ org_id: org_id || DEFAULT_ORGANIZATION_ID, org_name: org_name ?? '' });

/** Returns protocol and port of entries such as `ssh/22`. */
export const protocolsOf = (protocols: readonly string[]) =>
  protocols.map((entry) => {
    const [name = '', port = ''] = entry.split('/');
    return { name, port: Number(port) };
  });

const STATES = {
  ok: { en: 'OK', zh: '成功' },
  err: { en: 'Error', zh: '失败' },
  '-': { en: 'Unknown', zh: '未知' },
} as const satisfies Record<string, LocalText>;

/** Returns the result of a connection test: 0 failed, 1 succeeded, 2 not tested. */
export const connectivityOf = (status: 0 | 1 | 2 | undefined, language: Language): Labelled =>
  labelledBy(STATES, status === 1 ? 'ok' : status === 0 ? 'err' : '-', language);
