/** Reads the values of a type of MySQL without a loss, and writes them as literals. */
export interface MysqlValue {
  /** An expression whose text has the whole value, independent of the settings of the session. */
  read(column: string): string;
  /** The literal of a text; undefined if the value has none. */
  literal(text: string): string | undefined;
  /** True if the literal finds rows with the value by an index, under all settings. */
  readonly isFindable: boolean;
}

const WHOLE = ['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal'];
const DATES = ['date', 'time', 'datetime', 'year', 'uuid', 'inet4', 'inet6'];
const BYTES = ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'];
const TEXTS = ['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'set'];
/** Character sets whose characters all survive a conversion to Unicode and back. */
const UNICODE = /^(?:ascii|latin1|utf8(?:mb[34])?|ucs2|utf16(?:le)?|utf32)$/;
/** Texts that a quoted literal holds in every `sql_mode`, and in the three-byte UTF-8. */
const PLAIN = /^[^\\\p{C}\u{10000}-\u{10ffff}]*$/u;

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const plain = (column: string): string => column;
const hex = (column: string): string => `hex(${column})`;

const unquoted = (read: MysqlValue['read']): MysqlValue => ({
  read,
  literal: (text) => text,
  isFindable: true,
});

/** Returns undefined for types whose values cannot be written. */
export function mysqlValueOf(
  type: string,
  definition: string,
  charset: string | null | undefined,
): MysqlValue | undefined {
  if (WHOLE.includes(type)) return unquoted(plain);
  // The bits as a number: their text is bytes.
  if (type === 'bit') return unquoted((column) => `${column} + 0`);
  // FLOAT has six digits of text, and FLOAT(M,D) rounds; a sum would lose the sign of zero.
  if (type === 'float' || type === 'double')
    return { read: (column) => `${column} * 1e0`, literal: quoted, isFindable: false };
  if (type === 'timestamp')
    return { read: (column) => `unix_timestamp(${column})`, literal: utc, isFindable: false };
  if (DATES.includes(type)) return { read: plain, literal: quoted, isFindable: true };
  if (BYTES.includes(type)) return { read: hex, literal: (text) => `x'${text}'`, isFindable: true };
  if (type === 'json') return text('utf8mb4');
  if (TEXTS.includes(type)) return text(charset ?? '');
  return type === 'enum' ? enumOf(text(charset ?? ''), definition) : undefined;
}

function text(charset: string): MysqlValue {
  if (!UNICODE.test(charset))
    return { read: hex, literal: (value) => `_${charset} x'${value}'`, isFindable: true };
  return {
    read: plain,
    literal: (value) =>
      PLAIN.test(value) ? quoted(value) : `_utf8mb4 x'${Buffer.from(value).toString('hex')}'`,
    isFindable: true,
  };
}

/** An invalid value of an enum has an empty text, which only an enum with that member accepts. */
const enumOf = (value: MysqlValue, definition: string): MysqlValue => ({
  ...value,
  literal: (member) =>
    member === '' && !/[(,]''[,)]/.test(definition) ? undefined : value.literal(member),
});

/** A literal of UTC from seconds since 1970. The server has 0 for the date of zeros. */
function utc(seconds: string): string | undefined {
  const [whole = '', fraction] = seconds.split('.');
  if (Number(seconds) === 0) return quoted('0000-00-00 00:00:00');
  const at = new Date(Number(whole) * 1000);
  if (Number.isNaN(at.getTime())) return undefined;
  const date = at.toISOString().slice(0, 19).replace('T', ' ');
  return quoted(fraction === undefined ? date : `${date}.${fraction}`);
}
