import { writeSync } from 'node:fs'
import type { Counts } from './counts.ts'

/** A report of a worker to the runner, as one line of JSON. */
export type Report =
  | { readonly kind: 'start'; readonly file: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: string; readonly seconds: number }
  | { readonly kind: 'end'; readonly counts: Counts }

/** The runner opens this pipe in addition to the standard pipes. */
const reportPipe = 3

/** Writes synchronously, because the worker may be about to end. */
export const report = (message: Report): number => writeSync(reportPipe, `${toLine(message)}\n`)

/** JSON does not escape these two characters, but readline treats them as ends of lines. */
const toLine = (message: Report): string =>
  JSON.stringify(message).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
