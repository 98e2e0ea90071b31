import { choicesOf, type Field, targetOf } from '@sallyport/contract';
import { formatDate, isWithoutEnd } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { type Reference, referenceTo } from '../references.ts';
import { useChosen } from '../useChosen.ts';
import { isBlank } from './form-state.ts';
import { unitOf } from './labels.ts';
import { UNNAMED } from './useRemoteOptions.ts';
import { words } from './words.ts';

/** Names that a summary spells out; the rest is a number. */
const MAX_NAMES = 3;

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).map(String);

function Names({
  reference,
  ids,
  max,
}: {
  readonly reference: Reference;
  readonly ids: readonly string[];
  readonly max: number;
}) {
  const listed = ids.slice(0, max);
  const { rows } = useChosen(reference, listed);
  const names = rows.length > 0 ? rows.map(reference.label) : [UNNAMED];
  const more = ids.length - listed.length;
  return (
    <>
      {names.join(t(words.comma))}
      {more > 0 && ` · ${t(words.moreItems, { count: more })}`}
    </>
  );
}

function plainText(field: Field, value: unknown): string {
  const choices = choicesOf(field);
  if (choices)
    return textsOf(value)
      .map((one) => {
        const choice = choices.find((option) => String(option.value) === one);
        return choice ? t(choice.label) : one;
      })
      .join(t(words.comma));
  switch (field.kind) {
    case 'boolean':
      return t(value === true ? common.yes : common.no);
    case 'secret':
      return t(words.isSet);
    case 'datetime':
      return isWithoutEnd(String(value)) ? t(common.never) : formatDate(String(value));
    case 'json':
    case 'object':
      return t(words.isSet);
    case 'integer':
      return `${String(value)} ${unitOf(field)}`.trim();
    default:
      return textsOf(value).join(t(words.comma));
  }
}

/** A value of a field as text: names of objects, labels of choices, and no secret. */
export function ValueText({
  field,
  value,
  maxNames = MAX_NAMES,
}: {
  readonly field: Field;
  readonly value: unknown;
  readonly maxNames?: number;
}) {
  const reference = referenceTo(targetOf(field) ?? '');
  if (isBlank(value)) return null;
  return reference && !reference.value ? (
    <Names reference={reference} ids={textsOf(value)} max={maxNames} />
  ) : (
    plainText(field, value)
  );
}
