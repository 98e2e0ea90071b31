import type { Loader } from './loader.ts';
import { LEVELS } from './sizes.ts';

const NAMES = ['Region', 'Site', 'Room', 'System', 'Service'];

/**
 * Grows the tree below the root of the default organization. Some nodes have many children and some
 * none, as trees of people do.
 */
export async function growTree({ run }: Loader): Promise<void> {
  await run(
    `create temp table grown as select id, key, ancestors, 0 as level, 1::bigint as place from node
      where org_id = '' and parent_id is null`,
  );
  for (const [index, amount] of LEVELS.entries()) {
    await run(
      `with parent as (
        select id, key, ancestors, row_number() over (order by place) as place,
          count(*) over () as amount from grown where level = $2 - 1
      ), child as (
        select gen_random_uuid() as id, i as place,
          -- The square of an even number leans to the first parents: these grow big.
          1 + floor(power(pg_temp.pick($2 * 1000000 + i, 10000) / 10001.0, 1.6) *
            (select count(*) from parent))::integer as parent_place
        from generate_series(1, $1::integer) i
      ), numbered as (
        select child.*, parent.id as parent_id, parent.key as parent_key, parent.ancestors as above,
          row_number() over (partition by parent.id order by child.place) as mark
        from child join parent on parent.place = child.parent_place
      ), made as (
        insert into node (id, org_id, key, value, parent_id, ancestors)
        select id, '', parent_key || ':' || mark, $3 || ' ' || place, parent_id, above || id
          from numbered returning id, key, ancestors
      )
      insert into grown select made.id, made.key, made.ancestors, $2::integer, numbered.place
        from made join numbered using (id)`,
      [amount, index + 1, NAMES[index]],
    );
  }
  await run(
    `update node set child_mark = counted.amount from (
       select parent_id, count(*) as amount from node group by 1
     ) counted where node.id = counted.parent_id`,
  );
  // The tree in an order that has nothing to do with its shape, to pick from; the root is picked by
  // name only.
  await run(
    `create temp table picked_node as select id, level,
       row_number() over (partition by level order by place)::integer as n
     from grown where level > 0`,
  );
  await run('create index on picked_node (level, n)');
  await run('analyze picked_node');
}
