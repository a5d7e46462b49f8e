import { invalid } from './problem.ts'

/** A body is an object, whichever host it came from. */
export function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw invalid({ generalErrors: ['The body must be a JSON object.'] })
}
