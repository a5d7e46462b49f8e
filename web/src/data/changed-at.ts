import type { RecordOf } from '../api/api.ts'

/**
 * Returns the time of the last change in epoch milliseconds: the texts do not sort by time, because their
 * trailing zeros are cut off.
 */
export const changedAt = ({
  createdAt,
  updatedAt,
}: Pick<RecordOf<'assignment' | 'comment'>, 'createdAt' | 'updatedAt'>): number =>
  Date.parse(updatedAt ?? createdAt)
