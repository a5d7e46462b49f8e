import { status } from '@grpc/grpc-js'
import type { Lines } from '../../model/limit-lines.ts'
import { Problem } from '../../model/problem.ts'
import { type CallError, callErrorOf, unexpectedError } from './call-error.ts'

export interface CallLog {
  /** One line and one measurement for each call of a command. */
  noteEnd(call: NamedCall, code: status, startedAt: number): void
  /** How a call ends that failed; an unexpected error is logged. */
  refusalOf(call: NamedCall, error: unknown): CallError
}

/** Which command, and which of its calls. */
export interface NamedCall {
  readonly command: string
  readonly requestId: string
}

export function createCallLog(
  log: Pick<Lines, 'info' | 'error'>,
  onEnd: (command: string, code: status, seconds: number) => void,
): CallLog {
  return {
    noteEnd({ command, requestId }, code, startedAt) {
      const milliseconds = performance.now() - startedAt
      onEnd(command, code, milliseconds / 1000)
      log.info(
        { command, reqId: requestId, code: status[code], milliseconds: Math.round(milliseconds * 100) / 100 },
        'A call has ended.',
      )
    },
    refusalOf({ command, requestId }, error) {
      const known = callErrorOf(error)
      const cause = error instanceof Problem ? error.cause : undefined
      if (known && cause !== undefined)
        log.error({ err: cause, command, reqId: requestId }, 'The store was not available to a call.')
      if (known) return known
      log.error({ err: error, command, reqId: requestId }, 'An unexpected error ended a call.')
      return unexpectedError()
    },
  }
}
