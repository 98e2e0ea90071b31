import fc from 'fast-check';

/** Writes a text around a statement that real servers run. */
type Carrier = (one: string) => string;

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
const hexOf = (text: string) => Buffer.from(text).toString('hex');
/** In dollar quotes with a tag that the text does not contain. */
function dollars(text: string): string {
  const tag = `$t${text.length}$`;
  return tag + text + tag;
}

const OF_MARIADB: readonly Carrier[] = [
  (one) => `begin not atomic ${one}; end`,
  (one) => `lab: begin not atomic select 1; ${one}; end lab`,
  (one) => `if not 0 then ${one}; else select 1; end if`,
  (one) => `if 0 then select 1; elseif 1 then ${one}; end if`,
  (one) => `case 2 when 1 then select 1; when 2 then begin ${one}; end; end case`,
  (one) => `l: loop ${one}; leave l; end loop l`,
  (one) => `repeat ${one}; until 1 end repeat`,
  (one) => `for i in reverse 1..1 do ${one}; end for`,
  (one) => `set statement sql_mode='ansi_quotes', lock_wait_timeout = 9 for ${one}`,
  (one) => `begin not atomic declare exit handler for 1146, 1051 ${one}; select a from no; end`,
  (one) => `begin not atomic select 1 as end; ${one}; end`,
  (one) => `analyze format=json ${one}`,
  (one) => `select 1; ${one}`,
  (one) => `create or replace procedure p() comment 'a; b' begin ${one}; end; call p`,
  (one) => `create or replace procedure q() if 1 then select 1; end if; ${one}`,
  (one) => `create or replace view w as select case when 1 then 2 end; ${one}`,
  (one) => `execute immediate ${quoted(one)}`,
  (one) => `execute immediate x'${hexOf(one)}'`,
  (one) => `execute immediate trim('  ' ${quoted(one)})`,
  (one) => `set @b = 1, @a = ${quoted(one)}; prepare s from @a; execute s`,
  (one) => `select ${quoted(one)} into @a; execute immediate @a`,
  (one) => `begin not atomic declare v text default ${quoted(one)}; execute immediate v; end`,
  (one) =>
    `replace into texts values (${quoted(one)}); begin not atomic declare v text; select a into v from texts limit 1; execute immediate v; end`,
];
const OF_ORACLE_MODE: readonly Carrier[] = [
  (one) => `begin ${one}; end`,
  (one) => `declare a int; begin ${one}; end`,
  (one) => `<<l>> begin ${one}; end l`,
  (one) => `begin goto l; <<l>> ${one}; end`,
  (one) => `begin select nosuch; exception when others then ${one}; end`,
  (one) => `if 0 then null; elsif 1 then ${one}; end if`,
  (one) => `loop ${one}; exit when 1; end loop`,
  (one) => `declare v varchar2(900) := ${quoted(one)}; begin execute immediate v; end`,
  (one) => `create or replace procedure p as begin ${one}; end; call p()`,
];
const OF_POSTGRESQL: readonly Carrier[] = [
  (one) => `do ${dollars(`<<l>> declare a int := 1; begin ${one}; end l`)}`,
  (one) => `do language plpgsql ${dollars(`begin if true then ${one}; end if; end`)}`,
  (one) => `do ${dollars(`begin loop ${one}; exit; end loop; end`)} language 'plpgsql'`,
  (one) => `do ${dollars(`begin perform 1 / 0; exception when others then ${one}; end`)}`,
  (one) => `do ${dollars(`begin case when true then ${one}; else null; end case; end`)}`,
  (one) => `do ${dollars(`#option dump\nbegin ${one}; end`)}`,
  (one) => `do ${dollars(`begin execute ${dollars(one)}; end`)}`,
  (one) => `do ${dollars(`declare v text = ${dollars(one)}; begin execute v; end`)}`,
  (one) => `do 'begin '\n${quoted(`${one}; end`)}`,
  (one) => `do U&${quoted(`!0062egin ${one}; end`)} uescape '!'`,
  (one) => `prepare s (int) as ${one}; execute s (1)`,
  (one) => `explain (costs off, analyze) ${one}`,
  (one) => `select 1; ${one}`,
  (one) => `with a as (select 1) ${one}`,
  (one) => `with a as (${one} returning 1) select 1`,
  (one) => `copy (${one} returning 1) to stdout`,
  (one) => `create table z as with d as (${one} returning 1) select * from d`,
  (one) => `create function f() returns void language sql as ${dollars(one)}; select f()`,
  (one) => `create procedure p() language plpgsql as ${dollars(`begin ${one}; end`)}; call p()`,
  (one) => `create function f() returns void begin atomic ${one}; end; select f()`,
  (one) =>
    `create rule r as on insert to texts do instead (select 1; ${one}); insert into texts values (1)`,
  (one) =>
    `insert into texts values (${dollars(one)}); do $x$ declare r record; begin for r in select a from texts loop execute r.a; end loop; end $x$`,
  (one) =>
    `create function g() returns int begin atomic select case when true then 1 end; end; ${one}`,
];

const BLANKS = [
  ...[' ', ' ', '  ', '\t', '\n', '\r\n', '\f', '\v', '/**/', '/* x */', ' -- x\n', "/* ' */"],
  ...['/*;*/', '/*" */'],
];
const OF_MYSQL = [
  '/*!*/',
  '/*!50000 */',
  '/*M!*/',
  ' /*!99999 junk*/ ',
  ' #x\n',
  '/*!50101/*x*/*/ ',
];
const NAMES = {
  mysql: ['v', '`v`', 'shop.v', '.v'],
  postgresql: ['v', '"v"', 'public.v', String.raw`U&"\0076"`, `U&"!0076" uescape '!'`],
};
/** Statements that empty or remove the table `v`, with the rule of the library against each. */
const STATEMENTS = {
  mysql: {
    'mysql-drop-table': ['drop table v', 'alter table v drop b', 'alter table v wait 5 drop b'],
    'mysql-truncate': [
      'truncate v',
      'delete from v',
      'delete a from v as a',
      'delete quick from v',
    ],
    'mysql-always-true': ['delete from v where 1', "delete from v where 'a' = 'a'"],
  },
  postgresql: {
    'postgresql-drop-table': ['drop table v', 'alter table v drop b'],
    'postgresql-truncate': ['truncate v', 'delete from v', 'delete from only v as x'],
    'postgresql-always-true': ['delete from v where true', 'delete from v where not false'],
  },
};

export interface CarriedStatement {
  /** The rule of the library that must match. */
  readonly rule: string;
  readonly text: string;
}

/** Texts that carry a statement, up to two deep, with other blanks, letter case and names. */
function carriedBy(
  dialect: keyof typeof STATEMENTS,
  carriers: readonly Carrier[],
): fc.Arbitrary<CarriedStatement> {
  const blanks = dialect === 'mysql' ? [...BLANKS, ...OF_MYSQL] : BLANKS;
  const written = (text: string) =>
    fc
      .tuple(
        fc.infiniteStream(fc.constantFrom(...Array<string>(20).fill(' '), ...blanks)),
        fc.boolean(),
      )
      .map(([stream, isUpper]) =>
        (isUpper ? text.replace(/\b(?:delete|drop|table|truncate|from)\b/g, upper) : text).replace(
          / /g,
          () => stream.next().value,
        ),
      );
  const pairs = Object.entries(STATEMENTS[dialect]).flatMap(([rule, texts]) =>
    texts.map((text) => ({ rule, text })),
  );
  return fc
    .tuple(
      fc.constantFrom(...pairs),
      fc.constantFrom(...NAMES[dialect]),
      fc.array(fc.constantFrom(...carriers), { minLength: 1, maxLength: 2 }),
    )
    .chain(([{ rule, text }, name, wraps]) =>
      wraps
        .reduce(
          (inner, wrap) => inner.chain((one) => written(wrap(one))),
          written(text.replace(/\bv\b/, () => name)),
        )
        .map((one) => ({ rule, text: one })),
    );
}
const upper = (word: string) => word.toUpperCase();

export const CARRIED = {
  mysql: carriedBy('mysql', OF_MARIADB),
  oracle: carriedBy('mysql', OF_ORACLE_MODE),
  postgresql: carriedBy('postgresql', OF_POSTGRESQL),
};
