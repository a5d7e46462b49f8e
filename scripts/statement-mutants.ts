// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced stands so in templates.
import type { Mutant } from './mutant-table.ts'

/** Break rules of writes that come at the same time, and of lists that the store writes. */
export const statementMutants: readonly Mutant[] = [
  {
    file: 'src/records/serialize-record.ts',
    rule: "a list shows timestamps in UTC, whatever the connection's time zone",
    from: "(${value} at time zone 'UTC')::text",
    to: '${value}::text',
    tests: ['records/serialize-record'],
  },
  {
    file: 'src/records/serialize-record.ts',
    rule: 'a list shows numbers as a record shows them',
    from: 'trim_scale(${value})::text',
    to: '${value}::text',
    tests: ['records/serialize-record'],
  },
  {
    file: 'src/records/serialize-record.ts',
    rule: 'user-written text is escaped in a list',
    from: 'to_json(${value})::text',
    to: "'\"' || ${value} || '\"'",
    tests: ['records/serialize-record'],
  },
  {
    file: 'src/db/pooled-connections.ts',
    rule: "timestamps have one form, whatever the database's DateStyle",
    from: '    datesAsIso,\n',
    to: '',
    tests: ['db/database'],
  },
  {
    file: 'src/db/conditional-write.ts',
    rule: 'validation errors under one key are all reported',
    from: 'merged[key] = [...(merged[key] ?? []), ...messages]',
    to: 'merged[key] = messages',
    tests: ['conditional-write'],
  },
  {
    file: 'src/db/conditional-write.ts',
    rule: 'a write has no more conditions than its verdict has bits',
    from: 'conditions.length > conditionsMax',
    to: 'conditions.length < 0',
    tests: ['conditional-write'],
  },
  {
    file: 'src/db/sql.ts',
    rule: 'an open quote in a migration is an error',
    from: 'if (end < text.length)',
    to: 'if (end < 0)',
    tests: ['db/sql'],
  },
  {
    file: 'src/db/conditional-write.ts',
    rule: 'writes that share a statement wait for no lock',
    from: "skipsLocked ? ' skip locked' : ''",
    to: "''",
    tests: ['records/grouped-writes'],
  },
  {
    file: 'src/db/pooled-connections.ts',
    rule: 'writes that share a statement wait for no key either',
    from: 'lockMilliseconds > 0 ? ',
    to: 'lockMilliseconds < 0 ? ',
    tests: ['records/grouped-writes'],
  },
  {
    file: 'src/db/group-commit.ts',
    rule: 'two writes of one row share no statement',
    from: ' || ids.has(idOf(next.item))',
    to: '',
    tests: ['records/grouped-writes'],
  },
  {
    file: 'src/db/group-commit.ts',
    rule: 'writes of different accounts are batched in rotation',
    from: 'const account = accountOf(item)',
    to: "const account = ''",
    tests: ['db/group-commit'],
  },
  {
    file: 'src/db/group-commit.ts',
    rule: 'a row that fails undoes no other write',
    from: 'isRowError(error) || ',
    to: '',
    tests: ['records/grouped-writes'],
  },
  {
    file: 'src/records/create.ts',
    rule: "a token's rights also limit batched writes",
    from: ' || caller.token',
    to: '',
    tests: ['records/grouped-writes'],
  },
  {
    file: 'src/db/logged-write.ts',
    rule: 'each row of a shared statement keeps its own author',
    from: 'raw(\'input.":caller"\')',
    to: 'raw(\'(select min(":caller"::text)::uuid from input)\')',
    tests: ['records/grouped-writes'],
  },
]
