import type { Change } from './command-types.ts'

/** One command: it resolves with its result, and throws a `CommandError` when it is rejected. */
export type Call<Request, Result> = (request: Request, options?: CallOptions) => Promise<Result>

export interface CallOptions {
  /** Gives up after so long; 30 seconds unless given. */
  readonly withinMilliseconds?: number
  readonly signal?: AbortSignal
}

export interface Success {
  readonly success: true
  readonly message: string
}

/** A row that is missing, or a version that is stale. Every other error is thrown. */
export interface Failure {
  readonly success: false
  readonly message: string
}

export type Outcome = Success | Failure

export interface Followed {
  readonly change: Change
  /** Keep it once the change is processed: as `after`, it is where the next run starts. */
  readonly cursor: string
}

export interface FollowOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /** Called when the connection is lost and will be opened again. */
  readonly onReconnect?: (reason: unknown) => void
  /** After so long without a message the connection counts as lost; 35 seconds unless given. */
  readonly silenceMilliseconds?: number
}
