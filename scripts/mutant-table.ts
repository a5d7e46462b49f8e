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
    rule: 'a slow list leaves the connection that lists share after 40 ms',
    from: 'const quickMilliseconds = 40',
    to: 'const quickMilliseconds = 40_000',
    tests: ['slow-lists'],
  },
  {
    file: 'src/db/database.ts',
    rule: 'snapshots of live listings have connections of their own',
    from: "openLimitedReads(connections, budgets, 'liveLists', standbys)",
    to: 'ofLists',
    tests: ['slow-lists'],
  },
  {
    file: 'src/db/connections.ts',
    rule: 'what a standby answers that is behind is thrown away',
    from: 'throw new Behind()',
    to: 'void there',
    tests: ['db/standbys'],
  },
  {
    file: 'src/db/position.ts',
    rule: 'a standby is asked for its time line',
    from: '(select timeline_id from pg_control_checkpoint()) =',
    to: '0 <',
    tests: ['db/standbys'],
  },
  {
    file: 'src/http/listen.ts',
    rule: 'a host stops to listen only when nobody waits to be accepted',
    from: 'turns < turnsMax && !isQuiet',
    to: 'turns < 0 && !isQuiet',
    tests: ['http/shutdown'],
  },
  {
    file: 'src/db/fair-queue.ts',
    rule: 'an account has no more lists under way than its share',
    from: '&& atOncePerAccount.used(account) < atOncePerAccount.max',
    to: '',
    tests: ['fair-queue', 'slow-lists'],
  },
  {
    file: 'src/db/transactions.ts',
    rule: 'an account writes by no more connections than its share',
    from: 'work?.holder === undefined || work.connections > 0',
    to: 'work?.holder !== null || work.connections > 0',
    tests: ['lend-connections', 'held-rows'],
  },
  {
    file: 'src/db/transactions.ts',
    rule: 'who holds a connection waits for no share of a second one',
    from: ' || work.connections > 0',
    to: '',
    tests: ['lend-connections'],
  },
  {
    file: 'src/hosts/identity/register-routes.ts',
    rule: 'an address signs in by no more connections than its share',
    from: 'work.holder = addressKey(request.ip)',
    to: 'void addressKey',
    tests: ['held-rows'],
  },
  {
    file: 'src/hosts/commands/register-commands.ts',
    rule: 'commands of an account write by no more connections than its share',
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
    rule: 'an update of an older client leaves alone the fields that it does not know',
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
    rule: 'a parent is kept from being removed until its child is there',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the code.
    from: ' ${lock}`',
    to: '`',
    tests: ['records/races'],
  },
  {
    file: 'src/records/query/keyset.ts',
    rule: 'a page begins behind the last row, not with it',
    from: "raw(isDescending ? '<' : '>')",
    to: "raw(isDescending ? '<=' : '>=')",
    tests: ['query-cursors'],
  },
  {
    file: 'src/records/query/keyset.ts',
    rule: 'rows with an empty value are behind those with one',
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
    rule: 'a row is in a filter or in its opposite',
    from: ' is not true)`',
    to: ' is false)`',
    tests: ['query-filters'],
  },
  {
    file: 'src/records/query/run-query.ts',
    rule: 'a query takes no name of a common statement',
    from: 'return rare(',
    to: 'return ((one) => one)(',
    tests: ['query-plans'],
  },
  {
    file: 'src/records/query/read-query.ts',
    rule: 'a view is used by those who may see it',
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
    rule: 'every try of a POST has the same key',
    from: "{ 'idempotency-key': idempotencyKey }",
    to: "{ 'idempotency-key': crypto.randomUUID() }",
    tests: ['client-trouble'],
  },
  {
    file: 'clients/typescript/src/send.ts',
    rule: 'what could be done twice is sent once',
    from: "request.method === 'GET' || request.idempotencyKey !== undefined",
    to: "request.method !== ''",
    tests: ['client-trouble'],
  },
  {
    file: 'src/db/failures.ts',
    rule: 'a full disk is no fault of ours',
    from: '!isLostConnection(error) && !isOutOfRoom(error) &&',
    to: '!isLostConnection(error) &&',
    tests: ['refuse-unavailable'],
  },
  {
    file: 'src/db/migrations/0073-forgotten-people.sql',
    rule: 'what only an account was for goes with it',
    from: '%s on delete cascade',
    to: '%s',
    tests: ['forget-removed'],
  },
]
