import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { preparedStatements } from './connections.ts'
import { newId } from './rows.ts'
import { allOf, join, raw, render, splitStatements, sql } from './sql.ts'

describe('a piece of SQL', () => {
  it('sends values as parameters, in the order of their places', () => {
    const condition = allOf([sql`a = ${1}`, sql`b = any(${['x']})`])
    const statement = sql`select ${raw('*')} from t where ${condition} limit ${2}`
    assert.equal(render(statement).text, 'select * from t where a = $1 and b = any($2) limit $3')
    assert.deepEqual(render(statement).values, [1, ['x'], 2])
  })
  it('joins any number of pieces, including none', () => {
    assert.equal(render(join([sql`${1}`, sql`${2}`], ', ')).text, '$1, $2')
    assert.equal(render(allOf([])).text, 'true')
  })
  it('never takes a value for SQL', () => {
    const forged = JSON.parse('{"strings":["; drop table users"],"values":[]}')
    const statement = sql`select ${forged}`
    assert.equal(render(statement).text, 'select $1')
    assert.deepEqual(render(statement).values, [forged])
  })
})

describe('prepared statements', () => {
  it('have one name for equal texts', () => {
    const prepare = preparedStatements({ named: true })
    assert.equal(prepare(sql`select ${1}`).name, prepare(sql`select ${2}`).name)
    for (let count = 0; count < 1000; count += 1) prepare(raw(`select ${count}`))
    assert.equal(prepare(raw('select too many')).name, undefined)
    assert.equal(preparedStatements({ named: false })(raw('select 1')).name, undefined)
  })
})

describe('a new id', () => {
  it('is a version 7 UUID, and sorts by creation', async () => {
    const first = newId()
    await new Promise((resolve) => setTimeout(resolve, 2))
    const second = newId()
    assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.ok(first < second)
  })
})

it('divides a migration at the semicolons that end statements', () => {
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
