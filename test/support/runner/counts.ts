/** What node's test runner counts, under the names it prints. */
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

export const addCounts = (one: Counts, other: Counts): Counts => ({
  tests: one.tests + other.tests,
  suites: one.suites + other.suites,
  pass: one.pass + other.pass,
  fail: one.fail + other.fail,
  cancelled: one.cancelled + other.cancelled,
  skipped: one.skipped + other.skipped,
  todo: one.todo + other.todo,
})

/** The closing lines of node's test runner, for the tools that read them. */
export const countLines = (counts: Counts, milliseconds: number): string =>
  Object.entries({ ...counts, duration_ms: Math.round(milliseconds) })
    .map(([name, count]) => `# ${name} ${count}`)
    .join('\n')
