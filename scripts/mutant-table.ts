/** One way to break a rule, and the tests that should notice. */
export interface Mutant {
  readonly file: string
  readonly rule: string
  /** Stands in the file once. */
  readonly from: string
  readonly to: string
  /** Words of the paths of test files. */
  readonly tests: readonly string[]
}

export const mutants: readonly Mutant[] = [
  {
    file: 'src/db/limited-reads.ts',
    rule: 'a slow list leaves the shared connection after 40 ms',
    from: 'const quickMilliseconds = 40',
    to: 'const quickMilliseconds = 40_000',
    tests: ['slow-lists'],
  },
  {
    file: 'src/db/database.ts',
    rule: 'snapshots of live listings have separate connections',
    from: "openLimitedReads(connections, budgets, 'liveLists', standbys)",
    to: 'ofLists',
    tests: ['slow-lists'],
  },
  {
    file: 'src/db/connections.ts',
    rule: 'the result of a standby that is behind is discarded',
    from: 'throw new Behind()',
    to: 'void there',
    tests: ['db/standbys'],
  },
  {
    file: 'src/db/position.ts',
    rule: 'the timeline of a standby is checked',
    from: '(select timeline_id from pg_control_checkpoint()) =',
    to: '0 <',
    tests: ['db/standbys'],
  },
  {
    file: 'src/http/listen.ts',
    rule: 'a host stops listening only when no connection waits to be accepted',
    from: 'turns < turnsMax && !isQuiet',
    to: 'turns < 0 && !isQuiet',
    tests: ['http/shutdown'],
  },
  {
    file: 'src/db/fair-queue.ts',
    rule: 'an account has no more lists in flight than its share',
    from: '&& atOncePerAccount.used(account) < atOncePerAccount.max',
    to: '',
    tests: ['fair-queue', 'slow-lists'],
  },
  {
    file: 'src/db/transactions.ts',
    rule: 'the writes of an account use no more connections than its share',
    from: 'work?.holder === undefined || work.connections > 0',
    to: 'work?.holder !== null || work.connections > 0',
    tests: ['lend-connections', 'held-rows'],
  },
  {
    file: 'src/db/transactions.ts',
    rule: 'a request that holds a connection does not wait for a second share',
    from: ' || work.connections > 0',
    to: '',
    tests: ['lend-connections'],
  },
  {
    file: 'src/hosts/identity/register-routes.ts',
    rule: 'sign-ins of an address use no more connections than its share',
    from: 'work.holder = addressKey(request.ip)',
    to: 'void addressKey',
    tests: ['held-rows'],
  },
  {
    file: 'src/hosts/commands/register-commands.ts',
    rule: 'commands of an account use no more write connections than its share',
    from: 'work.holder = session.caller.id',
    to: 'void session',
    tests: ['held-rows'],
  },
  {
    file: 'src/db/locked-rows.ts',
    rule: 'rows are locked in the order of their ids',
    from: ' order by row.id $',
    to: ' $',
    tests: ['lock-order'],
  },
  {
    file: 'src/resources/derived.ts',
    rule: 'parents are locked in the order of the declarations',
    from: 'resources.indexOf(first.parent) - resources.indexOf(second.parent)',
    to: '0 * Number(first === second)',
    tests: ['lock-order'],
  },
  {
    file: 'src/features/changes/listing.ts',
    rule: 'an older snapshot of a live listing never replaces a newer one',
    from: 'if (statement < newestStatement) return',
    to: '',
    tests: ['changes/listing.test'],
  },
  {
    file: 'src/hosts/commands/messages.ts',
    rule: 'an update of an older client does not change fields that it does not know',
    from: 'number < neverClearedFrom',
    to: 'number < 99',
    tests: ['older-clients'],
  },
  {
    file: 'src/records/write-conditions.ts',
    rule: 'If-Match of a removal is compared with the locked rows',
    from: 'version !== undefined && version !== versionOf(row)',
    to: 'version === null',
    tests: ['if-match'],
  },
  {
    file: 'src/records/write-conditions.ts',
    rule: 'If-Match of an update is compared with the locked row',
    from: 'if (version === undefined) return []',
    to: 'if (version !== null) return []',
    tests: ['if-match'],
  },
  {
    file: 'src/db/locked-rows.ts',
    rule: 'a parent cannot be removed while its child is being created',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the code.
    from: ' ${lock}`',
    to: '`',
    tests: ['records/races'],
  },
  {
    file: 'src/records/query/keyset.ts',
    rule: 'a page begins after the last row, not with it',
    from: "raw(isDescending ? '<' : '>')",
    to: "raw(isDescending ? '<=' : '>=')",
    tests: ['query-cursors'],
  },
  {
    file: 'src/records/query/keyset.ts',
    rule: 'rows without a value come after those with one',
    from: 'return isNullable && !isDescending ?',
    to: 'return !isNullable && !isDescending ?',
    tests: ['query-filters'],
  },
  {
    file: 'src/records/query/keyset.ts',
    rule: 'a cursor belongs to its list, filter and sort',
    from: 'check !== checkOf(question, text)',
    to: "check === ''",
    tests: ['journeys/query.test'],
  },
  {
    file: 'src/records/query/keyset.ts',
    rule: 'a row matches a filter or its opposite',
    from: ' is not true)`',
    to: ' is false)`',
    tests: ['query-filters'],
  },
  {
    file: 'src/records/query/run-query.ts',
    rule: 'a query is not a named statement',
    from: 'return rare(',
    to: 'return ((one) => one)(',
    tests: ['query-plans'],
  },
  {
    file: 'src/records/query/read-query.ts',
    rule: 'a view is used only by those who may see it',
    from: "listedRows(kind, caller, 'active')",
    to: "listedRows(kind, { ...caller, isAdministrator: true }, 'active')",
    tests: ['journeys/views'],
  },
  {
    file: 'src/features/reports/run-report.ts',
    rule: 'a report sums what its reader may see',
    from: "listedRows(report.summed, caller, 'active'),",
    to: "raw('row.active'),",
    tests: ['journeys/reports.test'],
  },
  {
    file: 'src/features/reports/run-report.ts',
    rule: 'a report names what its reader may see',
    from: "listedRows(shown, caller, 'active')",
    to: "listedRows(shown, { ...caller, isAdministrator: true }, 'active')",
    tests: ['journeys/reports.test'],
  },
  {
    file: 'clients/typescript/src/send.ts',
    rule: 'every attempt of a POST has the same key',
    from: "{ 'idempotency-key': idempotencyKey }",
    to: "{ 'idempotency-key': crypto.randomUUID() }",
    tests: ['client-trouble'],
  },
  {
    file: 'clients/typescript/src/send.ts',
    rule: 'a request that could be executed twice is sent once',
    from: "request.method === 'GET' || request.idempotencyKey !== undefined",
    to: "request.method !== ''",
    tests: ['client-trouble'],
  },
  {
    file: 'src/db/failures.ts',
    rule: 'a full disk is not an internal error',
    from: '!isLostConnection(error) && !isOutOfRoom(error) &&',
    to: '!isLostConnection(error) &&',
    tests: ['refuse-unavailable'],
  },
  {
    file: 'src/db/migrations/0073-forgotten-people.sql',
    rule: 'rows that only belong to an account are purged with it',
    from: '%s on delete cascade',
    to: '%s',
    tests: ['forget-removed'],
  },
]
