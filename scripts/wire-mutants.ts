import type { Mutant } from './mutant-table.ts'

/** How the commands are read and written, and how the bank reads HTTP. */
export const wireMutants: readonly Mutant[] = [
  {
    file: 'src/hosts/commands/dotnet/message-pack.ts',
    rule: 'an optional number that a .NET client leaves out is absent, not zero',
    from: 'isNumber && isNeverNullForDotnet',
    to: 'isNumber',
    tests: ['every-kind'],
  },
  {
    file: 'src/hosts/commands/messages.ts',
    rule: 'a number that an update may leave out is never zero by that',
    from: 'isRequired(field, purpose) && {',
    to: "isRequired(field, 'create') && {",
    tests: ['every-kind'],
  },
  {
    file: 'src/hosts/commands/status-details.ts',
    rule: 'the status of an invalid call has every sentence',
    from: 'Object.values(errors).flat()',
    to: 'Object.values(errors).flat().slice(0, 1)',
    tests: ['commands/refusals', 'status-details'],
  },
  {
    file: 'src/hosts/commands/status-details.ts',
    rule: 'the sentences of a status fit the headers of common clients',
    from: 'const sentenceBytesMax = 1536',
    to: 'const sentenceBytesMax = 153_600',
    tests: ['status-details'],
  },
  {
    file: 'src/hosts/commands/answer-root.ts',
    rule: 'GET / on the port of the commands has the policy of the diagnostics',
    from: "path === '/' &&",
    to: "path === '' &&",
    tests: ['commands/diagnostics'],
  },
]
