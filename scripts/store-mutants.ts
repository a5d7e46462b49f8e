import type { Mutant } from './mutant-table.ts'

/** Of the store when it is away, and of what the hosts may do in it. */
export const storeMutants: readonly Mutant[] = [
  {
    file: 'src/store/pooled-connections.ts',
    rule: 'a statement on a connection of its own is given up in time',
    from: 'inTime(endsAt, work, () => cut(client))',
    to: 'inTime(endsAt + 12_000, work, () => cut(client))',
    tests: ['faults/silent-store'],
  },
  {
    file: 'src/store/pipelined-connection.ts',
    rule: 'a statement on a shared connection is given up in time',
    from: 'return inTime(endsAt, answer,',
    to: 'return inTime(endsAt + 12_000, answer,',
    tests: ['faults/silent-store'],
  },
  {
    file: 'src/store/pipelined-connection.ts',
    rule: 'a shared connection is given up once, not by each call that waits in vain',
    from: 'isSilent() && drop(used)',
    to: 'drop(used)',
    tests: ['pipelined-connection'],
  },
  {
    file: 'src/store/run-transactions.ts',
    rule: 'a write is sent to a store that answers',
    from: 'if (isSilent) await',
    to: 'if (isSilent === undefined) await',
    tests: ['faults/silent-store'],
  },
  {
    file: 'src/store/run-transactions.ts',
    rule: 'a transaction whose commit was lost is not run again',
    from: "uncertain(new Error('The outcome of a commit is unknown.', { cause: error }))",
    to: 'error',
    tests: ['lost-commit'],
  },
  {
    file: 'src/store/run-transactions.ts',
    rule: 'a transaction that fails while the store is silent does not wait for it twice',
    from: 'answered(client, performance.now() + rollbackMillisecondsMax,',
    to: 'answered(client, performance.now() + 8 * rollbackMillisecondsMax,',
    tests: ['store/silent'],
  },
  {
    file: 'src/store/transactions.ts',
    rule: 'a failure after something was committed is no invitation to send it again',
    from: 'if (work) work.hasCommitted = true',
    to: 'void work',
    tests: ['refuse-unavailable'],
  },
  {
    file: 'src/store/gathered-writes.ts',
    rule: 'a write that waited for a silent store with others does not wait for it alone, too',
    from: 'isLostConnection(error) && performance.now() < waiting.endsAt',
    to: 'isLostConnection(error)',
    tests: ['store/silent'],
  },
  {
    file: 'src/hosts/bank/statement.ts',
    rule: 'the bank asks a silent database for a statement once',
    from: 'if (!hasTime(startedAt)) throw error',
    to: '',
    tests: ['bank-silent'],
  },
  {
    file: 'src/hosts/bank/statement.ts',
    rule: 'statements that wait behind a silent one share its failure',
    from: 'if (hasTime(startedAt)) return',
    to: 'if (error) return',
    tests: ['bank-silent'],
  },
  {
    file: 'src/hosts/bank/transactions.ts',
    rule: 'transactions that wait behind a silent call share its failure',
    from: 'if (isSilence(failure))',
    to: 'if (failure === isSilence)',
    tests: ['bank-silent'],
  },
]
