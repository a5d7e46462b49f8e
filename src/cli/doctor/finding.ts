/** One line of the doctor's report. */
export interface Finding {
  readonly subject: string
  readonly result: string
  /** An `error` breaks the system now or later. A `warning` may be intended. */
  readonly severity: 'ok' | 'warning' | 'error'
  readonly advice?: string
}

export const ok = (subject: string, result: string): Finding => ({ subject, result, severity: 'ok' })
export const warning = (subject: string, result: string, advice: string): Finding => ({
  subject,
  result,
  severity: 'warning',
  advice,
})
export const error = (subject: string, result: string, advice: string): Finding => ({
  subject,
  result,
  severity: 'error',
  advice,
})
