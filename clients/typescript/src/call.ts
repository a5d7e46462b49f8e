import type { Change } from './command-types.ts'

/** Sends one command. Resolves with its result, or rejects with a `CommandError`. */
export type Call<Request, Result> = (request: Request, options?: CallOptions) => Promise<Result>

export interface CallOptions {
  /** The time limit; 30 seconds by default. */
  readonly withinMilliseconds?: number
  readonly signal?: AbortSignal
}

export interface Success {
  readonly success: true
  readonly message: string
}

/** The result if the row is missing or its version is stale. Every other error is thrown. */
export interface Failure {
  readonly success: false
  readonly message: string
}

export type Outcome = Success | Failure

export interface FollowedChange {
  readonly change: Change
  /** Store it when the change is processed. The next run passes it as `after`. */
  readonly cursor: string
}

export interface FollowOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /** Called when the connection is lost, before it is reopened. */
  readonly onReconnect?: (reason: unknown) => void
  /** Without a message for this time, the connection counts as lost; 35 seconds by default. */
  readonly silenceMilliseconds?: number
}
