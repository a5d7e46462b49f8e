// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the replaced text stands so in templates.
import type { Mutant } from './mutant-table.ts'

/** Versions of rows, and the validators of answers that are made of them. */
export const versionMutants: readonly Mutant[] = [
  {
    file: 'src/store/rows.ts',
    rule: 'a version grows by a millisecond at least',
    from: " + interval '1 millisecond'",
    to: '',
    tests: ['operations/races'],
  },
  {
    file: 'src/store/rows.ts',
    rule: 'a version has milliseconds',
    from: "const now = toMilliseconds(raw('statement_timestamp()'))",
    to: "const now = raw('statement_timestamp()')",
    tests: ['operations/rows-of-before'],
  },
  {
    file: 'src/store/rows.ts',
    rule: 'a version that a client kept with more digits is the same version',
    from: '<> ${toMilliseconds(sql`${version}::timestamptz`)}',
    to: '<> ${version}',
    tests: ['operations/rows-of-before'],
  },
  {
    file: 'src/store/columns.ts',
    rule: 'a version is shown with three digits of a second',
    from: 'rowTimestamps.has(name) ? timestampText(stored) : stored',
    to: 'stored',
    tests: ['operations/rows-of-before'],
  },
  {
    file: 'src/operations/query/run-query.ts',
    rule: 'a cursor keeps digits that are not shown, so that every row is met once',
    from: 'last[inPlace(name)] as Value',
    to: 'last[name] as Value',
    tests: ['operations/rows-of-before'],
  },
  {
    file: 'src/hosts/rest/resource-routes.ts',
    rule: 'an update answers the tag of the row as it left it',
    from: "reply.header('etag', tagOf(resource, caller, row))",
    to: '',
    tests: ['journeys/if-match'],
  },
  {
    file: 'src/hosts/rest/resource-routes.ts',
    rule: 'an update answers the row as it left it',
    from: '...rowAnswer(resource, row) },',
    to: '},',
    tests: ['contract/rest-bodies'],
  },
  {
    file: 'src/hosts/commands/commands.ts',
    rule: 'an update by a command answers the record',
    from: 'readUpdate(resource, request))\n    return { [resource.name]: showRecord(resource, row) }',
    to: 'readUpdate(resource, request))\n    return { ...(row && {}) }',
    tests: ['contract/lifecycle'],
  },
]
