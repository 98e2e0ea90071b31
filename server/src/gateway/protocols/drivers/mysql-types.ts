import type { FieldPacket } from 'mysql2';

const BINARY_CHARSET = 63;
const TYPES: Readonly<Record<number, string>> = {
  ...{
    0: 'decimal',
    1: 'tinyint',
    2: 'smallint',
    3: 'int',
    4: 'float',
    5: 'double',
    7: 'timestamp',
    8: 'bigint',
    9: 'mediumint',
    10: 'date',
    11: 'time',
  },
  ...{
    12: 'datetime',
    13: 'year',
    15: 'varchar',
    16: 'bit',
    245: 'json',
    246: 'decimal',
    247: 'enum',
    248: 'set',
    249: 'tinyblob',
    250: 'mediumblob',
  },
  ...{ 251: 'longblob', 252: 'blob', 253: 'varchar', 254: 'char', 255: 'geometry' },
};

/** Binary data is shown in hexadecimal: blobs, binary strings and geometries. */
export function isBinary({
  columnType = -1,
  characterSet,
}: FieldPacket & { readonly characterSet?: number }): boolean {
  return (
    characterSet === BINARY_CHARSET &&
    (columnType === 15 || (columnType >= 249 && columnType <= 255))
  );
}

/** Text and binary types share a number and differ in their charset. */
export function typeOf({
  columnType = -1,
  characterSet,
}: FieldPacket & { readonly characterSet?: number }): string {
  const type = TYPES[columnType] ?? '';
  if (characterSet === BINARY_CHARSET)
    return type === 'varchar' || type === 'char' ? type.replace('char', 'binary') : type;
  return type.replace(/blob$/, 'text');
}
