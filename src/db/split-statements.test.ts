import assert from 'node:assert/strict'
import { it } from 'node:test'
import { splitStatements } from './split-statements.ts'

it('divides a migration at the semicolons that end statements, and at no others', () => {
  const text = `-- first; a comment
    create table a (b text default 'one; ''two''', "c;d" int); -- another; one
    do $$ begin perform 1; perform '$'; end $$;
    create function f() returns int language sql as $body$ select 1 - 2; $body$;
    /* three; it's
       a comment */ do $body_2$ begin perform 3 / 4; end $body_2$;
    select E'it\\'s; \\\\', 'date;' from "table";
    select 1`
  assert.deepEqual(splitStatements(text), [
    `create table a (b text default 'one; ''two''', "c;d" int)`,
    `do $$ begin perform 1; perform '$'; end $$`,
    'create function f() returns int language sql as $body$ select 1 - 2; $body$',
    'do $body_2$ begin perform 3 / 4; end $body_2$',
    `select E'it\\'s; \\\\', 'date;' from "table"`,
    'select 1',
  ])
})

it('rejects a migration with an open quote, instead of dropping the quote', () => {
  for (const text of ["select 'open; select 2", 'select "open'])
    assert.throws(() => splitStatements(text), /A quote is not closed: ['"]open/)
})
