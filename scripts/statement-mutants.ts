// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced stands so in templates.
import type { Mutant } from './mutant-table.ts'

/** Of writes that come at the same time, and of lists that the store writes. */
export const statementMutants: readonly Mutant[] = [
  {
    file: 'src/records/serialize-record.ts',
    rule: 'a list shows moments in UTC, whatever zone the connection has',
    from: "(${value} at time zone 'UTC')::text",
    to: '${value}::text',
    tests: ['records/show-record'],
  },
  {
    file: 'src/records/serialize-record.ts',
    rule: 'a list shows numbers as a record shows them',
    from: 'trim_scale(${value})::text',
    to: '${value}::text',
    tests: ['records/show-record'],
  },
  {
    file: 'src/records/serialize-record.ts',
    rule: 'what people wrote is escaped in a list',
    from: 'to_json(${value})::text',
    to: "'\"' || ${value} || '\"'",
    tests: ['records/show-record'],
  },
  {
    file: 'src/db/pooled-connections.ts',
    rule: 'moments have one form, in whatever style a database shows dates',
    from: '    datesAsShown,\n',
    to: '',
    tests: ['db/database'],
  },
  {
    file: 'src/db/locked-rows.ts',
    rule: 'writes that share a statement wait for no lock',
    from: "waitsForNobody ? ' skip locked' : ''",
    to: "''",
    tests: ['records/gathered'],
  },
  {
    file: 'src/db/pooled-connections.ts',
    rule: 'writes that share a statement wait for no key either',
    from: 'lockMilliseconds > 0 ? ',
    to: 'lockMilliseconds < 0 ? ',
    tests: ['records/gathered'],
  },
  {
    file: 'src/db/group-commit.ts',
    rule: 'two writes of one row share no statement',
    from: ' || ids.has(idOf(next.item))',
    to: '',
    tests: ['records/gathered'],
  },
  {
    file: 'src/db/group-commit.ts',
    rule: 'accounts take turns',
    from: 'const account = accountOf(item)',
    to: "const account = ''",
    tests: ['db/gathering'],
  },
  {
    file: 'src/db/group-commit.ts',
    rule: "a row that fails undoes nobody else's write",
    from: 'isOfRow(error) || ',
    to: '',
    tests: ['records/gathered'],
  },
  {
    file: 'src/records/create.ts',
    rule: 'what a token may not, it may not together with others either',
    from: ' || caller.token',
    to: '',
    tests: ['records/gathered'],
  },
  {
    file: 'src/db/signature.ts',
    rule: 'each row of a shared statement keeps its own author',
    from: 'raw(\'input.":caller"\')',
    to: 'raw(\'(select min(":caller"::text)::uuid from input)\')',
    tests: ['records/gathered'],
  },
]
