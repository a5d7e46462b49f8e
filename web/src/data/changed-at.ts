import type { RecordOf } from '../api/api.ts'

/**
 * Returns the time of the last change in epoch milliseconds. Timestamps cannot be compared as texts, because
 * they have no trailing zeros.
 */
export const changedAt = ({
  createdAt,
  updatedAt,
}: Pick<RecordOf<'assignment' | 'comment'>, 'createdAt' | 'updatedAt'>): number =>
  Date.parse(updatedAt ?? createdAt)
