/** The other processes that serve the same ports. Absent if one process serves them alone. */
export interface WorkerPeers {
  /** Limits the requests of an address, counted over all processes. */
  limiter(host: string): SharedLimiter
  /**
   * Offers the metrics of this process to the others. Returns a function that reads the metrics of all processes.
   */
  shareMetrics(host: string, readOwn: () => Promise<object[]>): () => Promise<readonly object[]>
}

export interface SharedLimiter {
  /**
   * Calls `settle` once, after `acquire` has returned, with the seconds to wait if the request is rejected.
   * Returns a function that cancels the request.
   */
  acquire(address: string, settle: (retryAfterSeconds?: number) => void): () => void
}
