import type { Mutant } from './mutant-table.ts'

/** Rules that keep one account from spoiling what others do and read. */
export const fairnessMutants: readonly Mutant[] = [
  {
    file: 'src/store/read-ahead.ts',
    rule: 'a reader that takes nothing loses its place though nobody waits',
    from: '      options.onPause()\n',
    to: '',
    tests: ['slow-readers'],
  },
  {
    file: 'src/store/streamed-reads.ts',
    rule: 'a slow reader gives way to others',
    from: 'if (behind > graceSeconds * 1000) return behind',
    to: 'void behind',
    tests: ['slow-readers'],
  },
  {
    file: 'src/store/streamed-reads.ts',
    rule: 'an export that had its share gives way to others',
    from: 'return held > shareSeconds * 1000 ? 1 : 0',
    to: 'return held > shareSeconds * 1000 ? 0 : 0',
    tests: ['slow-readers'],
  },
  {
    file: 'src/store/streamed-reads.ts',
    rule: 'an export ends some day, however it is taken',
    from: "() => cut('too long')",
    to: '() => undefined',
    tests: ['slow-readers'],
  },
  {
    file: 'src/store/read-ahead.ts',
    rule: 'no more is read ahead than the budgets have room for',
    from: 'kept.length === 0 || fits(piece)',
    to: 'kept.length >= 0 || fits(piece)',
    tests: ['slow-readers', 'journeys/exports'],
  },
  {
    file: 'src/store/read-ahead.ts',
    rule: 'an export that fits into memory holds no connection for its reader',
    from: 'kept.length === 0 || fits(piece)',
    to: 'kept.length === 0',
    tests: ['slow-readers'],
  },
  {
    file: 'src/hosts/rest/extensions/export-routes.ts',
    rule: 'an export that is broken off does not look whole',
    from: 'if (reply.raw.headersSent) reply.raw.socket?.resetAndDestroy()',
    to: 'if (reply.raw.headersSent) reply.raw.end()',
    tests: ['slow-readers'],
  },
  {
    file: 'src/store/fair-queue.ts',
    rule: 'an account that had its turn comes behind others',
    from: '      queues.comesLast(account)\n',
    to: '',
    tests: ['fair-queue'],
  },
  {
    file: 'src/store/fair-queue.ts',
    rule: 'an account that has its share has nobody give way',
    from: 'if (atOncePerAccount.used(account) < atOncePerAccount.max) oustLatest()',
    to: 'oustLatest()',
    tests: ['fair-queue'],
  },
  {
    file: 'src/store/fair-queue.ts',
    rule: 'a request whose client has left waits no longer',
    from: "signal?.addEventListener('abort', giveUp)",
    to: 'void signal',
    tests: ['fair-queue'],
  },
  {
    file: 'src/hosts/rest/register-routes.ts',
    rule: 'a batch whose body does not come gives way to others',
    from: 'lateFrom = enteredAt + bodySeconds * 1000',
    to: 'void bodySeconds',
    tests: ['slow-batches'],
  },
]
