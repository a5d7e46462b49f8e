import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect, styleText } from 'node:util'

/** Shows what failed and nothing that passed, and ends with the runner's own counts. */
// biome-ignore lint/style/noDefaultExport: node:test takes a reporter from there.
export default async function* failuresReporter(events: AsyncIterable<TestEvent>) {
  const path: string[] = []
  for await (const event of events) {
    if (event.type === 'test:start')
      path.splice(event.data.nesting, Number.POSITIVE_INFINITY, event.data.name)
    if (event.type === 'test:fail') yield failure(event.data, path)
    if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message
    if (event.type === 'test:diagnostic' && event.data.nesting === 0) yield `ℹ ${event.data.message}\n`
  }
}

type Failure = Extract<TestEvent, { type: 'test:fail' }>['data']

function failure({ name, nesting, file, line, details, todo }: Failure, path: readonly string[]): string {
  const error = details.error as Error & { failureType?: string }
  // The tests inside have told already.
  if (error.failureType === 'subtestsFailed' || todo !== undefined) return ''
  const where =
    file === undefined ? '' : `${relative(process.cwd(), file)}${line === undefined ? '' : `:${line}`}`
  const title = [...path.slice(0, nesting), name].join(' › ')
  const reason = inspect(error.cause ?? error).replaceAll('\n', '\n  ')
  return `${styleText('red', `✖ ${title}`)} ${styleText('gray', where)}\n  ${reason}\n\n`
}
