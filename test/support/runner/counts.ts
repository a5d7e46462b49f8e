/** The totals of Node's test runner, under the names that it prints. */
export interface Counts {
  readonly tests: number
  readonly suites: number
  readonly pass: number
  readonly fail: number
  readonly cancelled: number
  readonly skipped: number
  readonly todo: number
}

export const noCounts: Counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 }

export const addCounts = (sum: Counts, counts: Counts): Counts => ({
  tests: sum.tests + counts.tests,
  suites: sum.suites + counts.suites,
  pass: sum.pass + counts.pass,
  fail: sum.fail + counts.fail,
  cancelled: sum.cancelled + counts.cancelled,
  skipped: sum.skipped + counts.skipped,
  todo: sum.todo + counts.todo,
})

/** Returns the last lines of Node's test runner, which tools parse. */
export const countLines = (counts: Counts, milliseconds: number): string =>
  Object.entries({ ...counts, duration_ms: Math.round(milliseconds) })
    .map(([name, count]) => `# ${name} ${count}`)
    .join('\n')
