import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect, styleText } from 'node:util'
import { report } from './report.ts'

/** Reports failed and skipped tests to the runner, and the counts at the end. */
// biome-ignore lint/style/noDefaultExport: node:test imports a reporter as the default export.
export default async function* workerReporter(events: AsyncIterable<TestEvent>) {
  const path: string[] = []
  for await (const event of events) {
    if (event.type === 'test:start') path.splice(event.data.nesting, path.length, event.data.name)
    if (event.type === 'test:fail') show(failure(event.data, path))
    if (event.type === 'test:pass') showPassed(event.data, path)
    if (event.type === 'test:diagnostic') show(diagnosis(event.data))
    if (event.type === 'test:summary') report({ kind: 'end', counts: countsOf(event.data) })
  }
  yield ''
}

type Passed = Extract<TestEvent, { type: 'test:pass' }>['data']
type Failure = Extract<TestEvent, { type: 'test:fail' }>['data']
type Summary = Extract<TestEvent, { type: 'test:summary' }>['data']

function showPassed(passed: Passed, path: readonly string[]) {
  const { name, nesting, details } = passed
  show(skipped(passed, path))
  if (nesting === 0) report({ kind: 'file', file: name, seconds: details.duration_ms / 1000 })
}

const show = (text: string) => text !== '' && report({ kind: 'text', text })

function failure({ name, nesting, file, line, details, todo }: Failure, path: readonly string[]): string {
  const error = details.error as Error & { failureType?: string }
  // The tests of the suite were already reported.
  if (error.failureType === 'subtestsFailed' || todo !== undefined) return ''
  const fileName = file === undefined ? '' : relative(process.cwd(), file)
  const place = file === undefined || line === undefined ? fileName : `${fileName}:${line}`
  const title = styleText('red', `✖ ${titleOf(name, nesting, path)}`)
  const reason = inspect(error.cause ?? error).replaceAll('\n', '\n  ')
  return `${title} ${styleText('gray', place)}\n  ${reason}\n\n`
}

/**
 * A message that begins with `Error: ` is about an error outside of a test, which fails the run but no test.
 * A message that begins with `Page ` has the state of the page at the failure above it.
 */
const diagnosis = ({ message }: { readonly message: string }): string => {
  if (message.startsWith('Error: ')) return `✖ ${message}\n\n`
  return message.startsWith('Page ') ? `  ${message.replaceAll('\n', '\n  ')}\n\n` : ''
}

/** Returns a line with the title of a skipped test and the reason, or empty for other tests. */
const skipped = ({ name, nesting, skip }: Passed, path: readonly string[]): string =>
  typeof skip === 'string' ? `﹣ ${titleOf(name, nesting, path)}: ${skip}\n` : ''

const titleOf = (name: string, nesting: number, path: readonly string[]): string =>
  [...path.slice(0, nesting), name].join(' › ')

const countsOf = ({ counts }: Summary) => ({
  tests: counts.tests,
  suites: counts.suites,
  pass: counts.passed,
  // The event has no count of failures. Each test is in exactly one count.
  fail: counts.tests - counts.passed - counts.cancelled - counts.skipped - counts.todo,
  cancelled: counts.cancelled,
  skipped: counts.skipped,
  todo: counts.todo,
})
