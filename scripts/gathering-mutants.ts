import type { Mutant } from './mutant-table.ts'

/** Of writes that come at the same time. */
export const gatheringMutants: readonly Mutant[] = [
  {
    file: 'src/store/locked-rows.ts',
    rule: 'writes that share a statement wait for no lock',
    from: "waitsForNobody ? ' skip locked' : ''",
    to: "''",
    tests: ['operations/gathered'],
  },
  {
    file: 'src/store/connection-limits.ts',
    rule: 'writes that share a statement wait for no key either',
    from: 'lockMilliseconds > 0 ? ',
    to: 'lockMilliseconds < 0 ? ',
    tests: ['operations/gathered'],
  },
  {
    file: 'src/store/gathering.ts',
    rule: 'two writes of one row share no statement',
    from: ' || ids.has(idOf(next.item))',
    to: '',
    tests: ['operations/gathered'],
  },
  {
    file: 'src/store/gathering.ts',
    rule: 'accounts take turns',
    from: 'const account = accountOf(item)',
    to: "const account = ''",
    tests: ['store/gathering'],
  },
  {
    file: 'src/store/gathered-writes.ts',
    rule: "a row that fails undoes nobody else's write",
    from: 'isOfRow(error) || ',
    to: '',
    tests: ['operations/gathered'],
  },
  {
    file: 'src/operations/gathered.ts',
    rule: 'what a token may not, it may not together with others either',
    from: ' || caller.token',
    to: '',
    tests: ['operations/gathered'],
  },
  {
    file: 'src/store/signature.ts',
    rule: 'each row of a shared statement keeps its own author',
    from: 'raw(\'input.":caller"\')',
    to: 'raw(\'(select min(":caller"::text)::uuid from input)\')',
    tests: ['operations/gathered'],
  },
]
