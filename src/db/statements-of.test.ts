import assert from 'node:assert/strict'
import { it } from 'node:test'
import { statementsOf } from './sql.ts'

it('divides a migration at the semicolons that end statements, and at no others', () => {
  const text = `-- first; a comment
    create table a (b text default 'one; ''two''', "c;d" int); -- another; one
    do $$ begin perform 1; perform '$'; end $$;
    create function f() returns int language sql as $body$ select 1 - 2; $body$;
    select 1`
  assert.deepEqual(statementsOf(text), [
    `create table a (b text default 'one; ''two''', "c;d" int)`,
    `do $$ begin perform 1; perform '$'; end $$`,
    'create function f() returns int language sql as $body$ select 1 - 2; $body$',
    'select 1',
  ])
})
