import { type FieldErrors, invalid } from './problem.ts'

/** Collects every violation of a body or query, so that all are reported at once. */
export interface Violations {
  add(key: string, ...messages: readonly string[]): void
  refuseIfAny(): void
}

export function collectViolations(): Violations {
  // A null prototype: a request may name a property `constructor`.
  const errors: Record<string, string[]> = Object.create(null)
  return {
    add(key, ...messages) {
      errors[key] = [...(errors[key] ?? []), ...messages]
    },
    refuseIfAny() {
      if (Object.keys(errors).length > 0) throw invalid({ ...errors } satisfies FieldErrors)
    },
  }
}
