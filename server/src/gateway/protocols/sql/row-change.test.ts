import { describe, expect, it } from 'vitest';
import { rowChangeOf } from './row-change.ts';

const selectOf = (text: string, dialect: 'postgresql' | 'mysql') => {
  const change = rowChangeOf(text, dialect);
  return typeof change === 'string' ? change : change.select(20);
};

describe('the rows of a change of PostgreSQL', () => {
  it.each([
    ['UPDATE t SET a = 1', 'select t.* from t limit 20'],
    [
      'delete from only s."T" as x where x.a = 1 -- c',
      'select x.* from only s."T" as x where x.a = 1 limit 20',
    ],
    ['UPDATE t x SET a = 1 WHERE b RETURNING a', 'select x.* from t as x where b limit 20'],
    [
      'UPDATE t SET a = u.a FROM u WHERE u.id = t.id',
      'select t.* from t where exists (select 1 from u where u.id = t.id) limit 20',
    ],
    [
      'DELETE FROM t USING u, v WHERE u.id = t.id',
      'select t.* from t where exists (select 1 from u, v where u.id = t.id) limit 20',
    ],
    [
      'UPDATE t SET a = b IS DISTINCT FROM c WHERE t.limit = 1',
      'select t.* from t where t.limit = 1 limit 20',
    ],
    [
      "UPDATE t SET a = (SELECT x FROM u WHERE y LIMIT 1) WHERE b = 'where'",
      "select t.* from t where b = 'where' limit 20",
    ],
  ])('reads the affected rows of %s', (text, select) =>
    expect(selectOf(text, 'postgresql')).toBe(select),
  );

  it.each([
    ['SELECT 1', 'none'],
    ['INSERT INTO t VALUES (1)', 'none'],
    ['BEGIN', 'none'],
    ['EXPLAIN UPDATE t SET a = 1', 'other'],
    ['WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x', 'other'],
    ['INSERT INTO t VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 1', 'other'],
    ['UPDATE t SET a = 1 WHERE CURRENT OF c', 'other'],
    ['UPDATE U&"t" SET a = 1', 'other'],
    ['DROP TABLE t', 'other'],
    ['CALL p()', 'other'],
    ['UPDATE t SET a = "f\\\' ; commit; drop table t; --"(1)', 'other'],
    ['UPDATE t SET a = 1; DELETE FROM t', 'other'],
    ["UPDATE t SET a = 'x\\' WHERE b = 'y'", 'other'],
  ])('reads none or unknown rows of %s', (text, kind) =>
    expect(selectOf(text, 'postgresql')).toBe(kind),
  );
});

describe('the rows of a change of MySQL', () => {
  it.each([
    ['UPDATE IGNORE `t` SET a = 1 WHERE b = "x"', 'select `t`.* from `t` where b = "x" limit 20'],
    [
      'DELETE FROM t WHERE a = 1 ORDER BY b LIMIT 3',
      'select * from (select t.* from t where a = 1 order by b limit 3) as sallyport_rows limit 20'
        .replace('order by', 'ORDER BY')
        .replace('limit 3', 'LIMIT 3'),
    ],
    ['update shop.t as x set x.a = 1', 'select x.* from shop.t as x limit 20'],
  ])('reads the affected rows of %s', (text, select) =>
    expect(selectOf(text, 'mysql')).toBe(select),
  );

  it.each([
    ['UPDATE t JOIN u ON t.id = u.id SET t.a = 1', 'other'],
    ['UPDATE t, u SET t.a = 1', 'other'],
    ['DELETE t FROM t JOIN u ON t.id = u.id', 'other'],
    ['DELETE FROM t USING t JOIN u ON t.id = u.id', 'other'],
    ['DELETE FROM t PARTITION (p) WHERE a = 1', 'other'],
    ['UPDATE t SET a = (@x := 1)', 'other'],
    ['UPDATE t /*!50000 , u */ SET a = 1', 'other'],
    ['REPLACE INTO t VALUES (1)', 'other'],
    ['SHOW TABLES', 'none'],
  ])('reads none or unknown rows of %s', (text, kind) =>
    expect(selectOf(text, 'mysql')).toBe(kind),
  );
});
