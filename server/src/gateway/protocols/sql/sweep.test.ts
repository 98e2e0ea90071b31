import { expect, it } from 'vitest';
import { statementsOf } from './statements.ts';
import { sweepOfCommand } from './sweep.ts';
import type { Dialect } from './tokens.ts';

const sweep = (text: string, dialect: Dialect = 'postgresql') => {
  const match = statementsOf(text, dialect)[0]?.sweep;
  return match && `${match.act} ${match.target}`;
};

it('recognizes statements that affect every row, with their target', () => {
  const cases = {
    'delete from public.order_line': 'delete public.order_line',
    'DELETE /* where */ FROM only "Order Line" -- where': 'delete "Order Line"',
    "update item set name = 'where'": 'update item',
    'update item set price = (select max(price) from item where id = 1)': 'update item',
    'with gone as (delete from item returning id) select * from gone where id = 1': 'delete item',
    'with a as (select 1 where true) update item set price = 1': 'update item',
    'explain (analyze, verbose) delete from item': 'delete item',
    'explain analyze update item set price = 1': 'update item',
    'truncate table only item, other': 'truncate item',
    'drop table if exists item cascade': 'drop table if exists item cascade',
    'delete from item using other': 'delete item',
  };
  for (const [text, expected] of Object.entries(cases))
    expect([text, sweep(text)]).toEqual([text, expected]);
  expect(sweep('delete from `item`', 'mysql')).toBe('delete `item`');
  expect(sweep('/*!50110 delete */ from item', 'mysql')).toBe('delete item');
});

it('ignores statements with a condition, and these verbs in other positions', () => {
  for (const text of [
    'delete from item where id = 1',
    'update item set price = 1 where id in (select id from item)',
    'with gone as (delete from item where id = 1 returning id) select * from gone',
    'select * from item for update',
    'select * from (select 1) a for update',
    'insert into item values (1) on conflict (id) do update set price = 1',
    'explain delete from item',
    'explain analyze select * from item for update',
    'grant update, delete on item to clerk',
    "select 'delete from item'",
    'create table child (id int references item on delete cascade on update cascade)',
  ])
    expect([text, sweep(text)]).toEqual([text, undefined]);
  expect(sweep('delete from item order by id limit 1', 'mysql')).toBeUndefined();
  expect(sweep('delete a from item a join other b on a.id = b.id', 'mysql')).toBeUndefined();
  expect(
    sweep('insert into item values (1) on duplicate key update price = 1', 'mysql'),
  ).toBeUndefined();
});

it('recognizes the Redis commands that delete all keys', () => {
  expect(
    [['FLUSHALL'], ['flushdb', 'async'], ['del', 'flushall']].map(
      (words) => sweepOfCommand(words)?.act,
    ),
  ).toEqual(['flush', 'flush', undefined]);
});
