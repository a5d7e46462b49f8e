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
  {
    file: 'src/hosts/commands/dotnet/lz4.ts',
    rule: 'an LZ4 block ends with literals',
    from: 'while (true)',
    to: 'while (from < block.length)',
    tests: ['dotnet/lz4'],
  },
  {
    file: 'src/hosts/bank/server.ts',
    rule: 'behind the last answer of a connection nothing is done',
    from: 'if (socket.writable) answerIt()',
    to: 'answerIt()',
    tests: ['bank/pipelined'],
  },
  {
    file: 'src/hosts/bank/server.ts',
    rule: 'an answer to an expectation takes its turn',
    from: 'of arrivals) {',
    to: 'of arrivals.slice(0, 1)) {',
    tests: ['bank/pipelined'],
  },
  {
    file: 'src/hosts/bank/known-heads.ts',
    rule: 'the small server leaves a body to the other one whose length comes from two headers',
    from: "  'transfer-encoding',\n",
    to: '',
    tests: ['bank/fuzz'],
  },
  {
    file: 'src/http/broken-requests.ts',
    rule: 'whole requests are answered before the bytes behind them are refused',
    from: '(response.writableEnded || !response.headersSent)',
    to: '!response.headersSent',
    tests: ['bank/pipelined'],
  },
  {
    file: 'src/hosts/commands/protobuf/serve-standard-services.ts',
    rule: 'reflection describes the details of an invalid call',
    from: ', errorDetailsFile()]',
    to: ']',
    tests: ['standard-services'],
  },
]
