/** What this folder needs of a log; pino's fits. */
export interface Log {
  warn(details: object, message: string): void
}
