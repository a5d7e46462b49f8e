import { writeSync } from 'node:fs'
import type { Counts } from './counts.ts'

/** What a worker reports to the runner, a line of JSON each. */
export type Report =
  | { readonly kind: 'start'; readonly file: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: string; readonly seconds: number }
  | { readonly kind: 'end'; readonly counts: Counts }

/** The pipe that the runner opens in addition to the standard ones. Written at once: the worker may be about to end. */
const reportPipe = 3

export const report = (what: Report): number => writeSync(reportPipe, `${oneLine(what)}\n`)

/** Who reads lines takes these two for ends of lines as well; JSON does not escape them by itself. */
const oneLine = (what: Report): string =>
  JSON.stringify(what).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
